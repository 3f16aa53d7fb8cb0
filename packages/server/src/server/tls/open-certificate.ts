import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../../config/settings.js';
import type { Closers } from '../../lib/concurrency/closers.js';
import type { DataFolder } from '../../store/data-folder.js';
import type { CertificateSource } from './certificate-source.js';
import { openGivenCertificate } from './given-certificate.js';

/**
 * Opens the certificate to serve with: the operator's files have precedence over one that the server makes. Gives
 * undefined for plain HTTP. It adds to `closers` what removes files that it made for this process only. Throws
 * `OperatorError`.
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
  // Imported only here: the library that makes certificates is large, and plain HTTP starts without it.
  const { openLocalCertificate } = await import('./local-certificate.js');
  return await openLocalCertificate(tls, settings.hostnames, Date.now);
}

/** With `--memory` nothing outlives the process, but clients need the authority as a file while it runs. */
async function temporaryFolder(closers: Closers): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-tls-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
