import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../config/settings.js';
import type { Closers } from '../lib/closers.js';
import type { DataFolder } from '../store/data-folder.js';
import type { CertificateSource } from './tls/certificate-source.js';
import { openGivenCertificate } from './tls/given-certificate.js';

/**
 * Where the certificate comes from, or undefined for plain HTTP: the operator's files go before one of our
 * own making. What must be tidied up later is added to `closers`. Throws `OperatorError`.
 */
export async function openCertificate(
  settings: Settings,
  folder: DataFolder | undefined,
  closers: Closers,
): Promise<CertificateSource | undefined> {
  const { tlsCert, tlsKey } = settings;
  if (tlsCert !== undefined && tlsKey !== undefined) return await openGivenCertificate(tlsCert, tlsKey);
  if (!settings.https) return undefined;
  const tls = folder?.tls ?? (await temporaryFolder(closers));
  // Only here: the library that makes certificates is large, and plain HTTP starts without it.
  const { openLocalCertificate } = await import('./tls/local-certificate.js');
  return await openLocalCertificate(tls, settings.hostnames, Date.now);
}

/** With `--memory` nothing outlives the process, but a client must be given the authority as a file. */
async function temporaryFolder(closers: Closers): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-tls-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
