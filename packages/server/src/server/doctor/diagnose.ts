import type { Environment, Settings } from '../../config/settings.js';
import { address } from './address.js';
import { certificate } from './certificate.js';
import { disk } from './disk.js';
import { engines } from './engines.js';
import type { Finding } from './finding.js';
import { clock, memory, openFiles, versions } from './machine.js';
import { traces } from './traces.js';

/** Looks at everything that a server with these settings needs. Changes nothing. */
export async function diagnose(settings: Settings, environment: Environment): Promise<readonly Finding[]> {
  const nowMs = Date.now();
  const usesFolder = settings.items === undefined || settings.blobs === undefined;
  return [
    versions(),
    memory(),
    await openFiles(settings.maxConnections),
    await clock(nowMs),
    ...(usesFolder ? await disk(settings.dataFolder) : []),
    ...(await engines(settings, environment)),
    await certificate(settings, nowMs),
    await address(settings),
    ...(await traces(settings, environment)),
  ];
}
