import type { Environment, Settings } from '../../config/settings.js';
import { isFolderPath } from '../../engines/registry.js';
import type { Finding } from '../../lib/finding.js';
import { memoryBytes } from '../../lib/memory.js';
import { address, metricsAddress } from './address.js';
import { certificate } from './certificate.js';
import { disk, type StoreFolder } from './disk.js';
import { engines } from './engines.js';
import { keyFile } from './key-file.js';
import { clock, memory, openFiles } from './machine.js';
import { versions } from './node-version.js';
import { traces } from './traces.js';

/** Looks at everything that a server with these settings needs. Changes nothing. */
export async function diagnose(settings: Settings, environment: Environment): Promise<readonly Finding[]> {
  const nowMs = Date.now();
  return [
    versions(process.versions.node, nowMs),
    memory(memoryBytes(), {
      maxBufferedBytes: settings.maxBufferedBytes,
      isSecure: settings.https || settings.tlsCert !== undefined,
      node: process.versions.node,
    }),
    await openFiles(settings.maxConnections),
    await clock(nowMs),
    ...(await disks(foldersOf(settings))),
    ...(await engines(settings, environment)),
    await certificate(settings, nowMs),
    await address(settings),
    ...(await metricsAddress(settings)),
    ...(await keyFile(settings)),
    ...(await traces(settings, environment)),
  ];
}

/** The folders in which these settings store rows or bytes. */
function foldersOf({ items, blobs, dataFolder }: Settings): readonly StoreFolder[] {
  const folders: StoreFolder[] = [];
  if (items === undefined || blobs === undefined) folders.push({ use: 'data', path: dataFolder });
  if (blobs !== undefined && isFolderPath(blobs)) folders.push({ use: 'bytes', path: blobs });
  return folders;
}

/** One after the other, so that the measurement of one does not slow that of another. */
async function disks(folders: readonly StoreFolder[]): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const folder of folders) findings.push(...(await disk(folder)));
  return findings;
}
