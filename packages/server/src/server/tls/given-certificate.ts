import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { OperatorError } from '../../operator-error.js';
import type { CertificatePair, CertificateSource } from './certificate-source.js';

/**
 * Opens the operator's certificate, which is read again when its files change. Whoever renews it writes the two files
 * one after the other, so a pair that does not match is refused and read again later. Throws `OperatorError`.
 */
export async function openGivenCertificate(certFile: string, keyFile: string): Promise<CertificateSource> {
  let seen = await versionOf(certFile, keyFile);
  const pair = await readPair(certFile, keyFile);
  let current = pair;
  return {
    pair,
    async refresh() {
      const version = await versionOf(certFile, keyFile);
      if (version === seen) return undefined;
      const found = await readPair(certFile, keyFile);
      seen = version;
      if (found.cert === current.cert && found.key === current.key) return undefined;
      current = found;
      return found;
    },
  };
}

/**
 * Follows links: renewal tools switch a link to a new file. Sequential, so that the error names the first of two
 * missing files.
 */
async function versionOf(...files: string[]): Promise<string> {
  const parts: string[] = [];
  for (const file of files) {
    const { mtimeNs, size, ino } = await readable(file, () => stat(file, { bigint: true }));
    parts.push(`${mtimeNs} ${size} ${ino}`);
  }
  return parts.join(' ');
}

async function readPair(certFile: string, keyFile: string): Promise<CertificatePair> {
  const cert = await readable(certFile, () => readFile(certFile, 'utf8'));
  const key = await readable(keyFile, () => readFile(keyFile, 'utf8'));
  const certificate = parsed(certFile, 'a certificate', () => new X509Certificate(cert));
  const privateKey = parsed(keyFile, 'a private key', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new OperatorError(`The private key ${keyFile} is not the one of the certificate ${certFile}`);
  }
  parsed(certFile, 'a certificate with its chain', () => createSecureContext({ cert, key }));
  return { cert, key };
}

function parsed<T>(file: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new OperatorError(`${file} does not hold ${what} in PEM`, { cause });
  }
}

async function readable<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    throw new OperatorError(`${file} cannot be read: ${(cause as Error).message}`, { cause });
  }
}
