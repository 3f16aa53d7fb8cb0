import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { CertificatePair } from './certificate-source.js';

const dayMs = 86_400_000;
/** Clients refuse a certificate that is not valid yet by their clock, and clocks differ. */
const backdatedMs = 3_600_000;
const authorityDays = 3650;
/** Apple's clients accept server certificates of at most 398 days. */
const serverDays = 397;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** Makes an authority that can sign server certificates, but no other authorities. */
export async function makeAuthority(nowMs: number): Promise<CertificatePair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = new Date(nowMs).toISOString().slice(0, 10);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: `CN=Basedrive local authority ${made}`,
      ...lifetime(nowMs, authorityDays),
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return await pairOf(certificate, keys.privateKey);
}

/** Makes a server certificate for names and addresses, signed by the authority. It does not outlive the authority. */
export async function issueServerCertificate(
  authority: CertificatePair,
  names: readonly string[],
  nowMs: number,
): Promise<CertificatePair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const issuer = new X509Certificate(authority.cert);
  const [keyBytes] = PemConverter.decode(authority.key);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', keyBytes!, algorithm, false, ['sign']);
  const { notBefore, notAfter } = lifetime(nowMs, serverDays);
  const certificate = await X509CertificateGenerator.create(
    {
      subject: 'CN=Basedrive',
      issuer: issuer.subject,
      notBefore,
      notAfter: new Date(Math.min(notAfter.getTime(), issuer.notAfter.getTime())),
      publicKey: keys.publicKey,
      signingKey,
      signingAlgorithm: algorithm,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(
          names.map((name) => ({ type: isIP(name) === 0 ? 'dns' : 'ip', value: name })),
        ),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
        await AuthorityKeyIdentifierExtension.create(issuer, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return await pairOf(certificate, keys.privateKey);
}

function lifetime(nowMs: number, days: number): { notBefore: Date; notAfter: Date } {
  const notBeforeMs = nowMs - backdatedMs;
  return { notBefore: new Date(notBeforeMs), notAfter: new Date(notBeforeMs + days * dayMs) };
}

async function pairOf(
  certificate: X509Certificate,
  privateKey: webcrypto.CryptoKey,
): Promise<CertificatePair> {
  const key = await webcrypto.subtle.exportKey('pkcs8', privateKey);
  return { cert: `${certificate.toString('pem')}\n`, key: `${PemConverter.encode(key, 'PRIVATE KEY')}\n` };
}
