import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../../lib/clock.js';
import { replaceFile } from '../../lib/folder.js';
import { OperatorError } from '../../operator-error.js';
import type { CertificatePair, CertificateSource } from './certificate-source.js';
import { issueServerCertificate, makeAuthority } from './issue.js';
import { ownNames } from './own-names.js';

const dayMs = 86_400_000;
/** Renewed this long before it expires, so that it is still valid on a machine that was off for a month. */
const renewBeforeMs = 30 * dayMs;

/**
 * Makes a certificate authority and a server certificate in `folder`, keeps them, and renews them before they expire.
 * The certificate is for `localhost`, `127.0.0.1`, `::1` and the operator's host names. Clients trust the authority, so
 * it stays while server certificates are replaced, also by a clock that was set back to before it was made. Throws `OperatorError` if the authority's files cannot be used.
 */
export async function openLocalCertificate(
  folder: string,
  hostnames: readonly string[],
  clock: Clock,
): Promise<CertificateSource & { readonly caFile: string }> {
  const names = [...new Set([...ownNames, ...hostnames])];
  const caFile = join(folder, 'ca.crt');

  /** Whether a new certificate would be valid longer, or sooner: this one was made by a clock that was ahead. */
  const isDue = (pair: CertificatePair, authorityFromMs: number, nowMs: number) =>
    expiresSoon(pair, nowMs) || (authorityFromMs <= nowMs && beginsMs(pair) > nowMs);

  async function ensure(): Promise<{ readonly pair: CertificatePair; readonly authorityFromMs: number }> {
    const nowMs = clock();
    let authority = await readPair(folder, 'ca');
    if (authority === undefined) await refuseLostAuthority(folder);
    else checkAuthority(authority, folder);
    if (authority === undefined || expiresSoon(authority, nowMs)) {
      authority = await makeAuthority(nowMs);
      await writePair(folder, 'ca', authority);
    }
    const authorityFromMs = beginsMs(authority);
    const kept = await readPair(folder, 'server');
    if (kept !== undefined && isUsable(kept, authority, names) && !isDue(kept, authorityFromMs, nowMs))
      return { pair: kept, authorityFromMs };
    const made = await issueServerCertificate(authority, names, nowMs);
    await writePair(folder, 'server', made);
    return { pair: made, authorityFromMs };
  }

  let current = await ensure();
  return {
    pair: current.pair,
    caFile,
    async refresh() {
      const { pair, authorityFromMs } = current;
      if (!isDue(pair, authorityFromMs, clock())) return undefined;
      current = await ensure();
      return current.pair.cert === pair.cert ? undefined : current.pair;
    },
  };
}

function expiresSoon(pair: CertificatePair, nowMs: number): boolean {
  return Date.parse(new X509Certificate(pair.cert).validTo) - nowMs < renewBeforeMs;
}

function beginsMs({ cert }: CertificatePair): number {
  return Date.parse(new X509Certificate(cert).validFrom);
}

/** False for a certificate that must be made again: its key does not match (a crash), or it lacks a name. */
function isUsable(pair: CertificatePair, authority: CertificatePair, names: readonly string[]): boolean {
  try {
    const certificate = new X509Certificate(pair.cert);
    return (
      certificate.checkPrivateKey(createPrivateKey(pair.key)) &&
      certificate.verify(new X509Certificate(authority.cert).publicKey) &&
      names.every((name) => hasName(certificate, name))
    );
  } catch {
    return false;
  }
}

function hasName(certificate: X509Certificate, name: string): boolean {
  if (isIP(name) !== 0) return certificate.checkIP(name) !== undefined;
  const entries = (certificate.subjectAltName ?? '').split(', ');
  return entries.some((entry) => entry.toLowerCase() === `dns:${name.toLowerCase()}`);
}

/**
 * Throws if the authority is damaged. Clients would not trust another one in its place, so the operator must decide.
 */
function checkAuthority(authority: CertificatePair, folder: string): void {
  try {
    if (new X509Certificate(authority.cert).checkPrivateKey(createPrivateKey(authority.key))) return;
  } catch (cause) {
    throw unusableAuthority(folder, cause);
  }
  throw unusableAuthority(folder, undefined);
}

/**
 * Throws if only the certificate of the authority is gone. A crash may have left its key alone, but not once there is a
 * server certificate, which is made after it.
 */
async function refuseLostAuthority(folder: string): Promise<void> {
  const [key, issued] = await Promise.all([
    readIfThere(join(folder, 'ca.key')),
    readIfThere(join(folder, 'server.crt')),
  ]);
  if (key !== undefined && issued !== undefined) throw unusableAuthority(folder, undefined);
}

function unusableAuthority(folder: string, cause: unknown): OperatorError {
  return new OperatorError(
    `The authority in ${folder} (ca.crt, ca.key) is damaged: restore it, or remove both files to make another`,
    { cause },
  );
}

/** Undefined if there is no certificate: the key is written first, so such a key was never used. */
async function readPair(folder: string, name: string): Promise<CertificatePair | undefined> {
  const [cert, key] = await Promise.all([
    readIfThere(join(folder, `${name}.crt`)),
    readIfThere(join(folder, `${name}.key`)),
  ]);
  return cert === undefined ? undefined : { cert, key: key ?? '' };
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new OperatorError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

async function writePair(folder: string, name: string, pair: CertificatePair): Promise<void> {
  await replaceFile(join(folder, `${name}.key`), pair.key, 0o600);
  await replaceFile(join(folder, `${name}.crt`), pair.cert, 0o644);
}
