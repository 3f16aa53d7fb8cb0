import { X509Certificate } from 'node:crypto';
import type { CertificatePair } from './certificate-source.js';

const dayMs = 86_400_000;
/** Who renews certificates does it earlier. */
export const soonDays = 14;

/** For how many whole days a certificate is valid; negative for one that has expired. */
export function validDays({ validTo }: X509Certificate, nowMs: number): number {
  return Math.floor((Date.parse(validTo) - nowMs) / dayMs);
}

/** What the operator is told of a certificate that is not valid yet, has expired, or will soon; undefined for others. */
export function expiryWarning({ cert }: CertificatePair, nowMs: number): string | undefined {
  const certificate = new X509Certificate(cert);
  const { validFrom, validTo } = certificate;
  if (Date.parse(validFrom) > nowMs)
    return `The certificate is not valid before ${validFrom}: clients refuse it. Set the clock of this machine; if it is right, renew the certificate`;
  const days = validDays(certificate, nowMs);
  if (days >= soonDays) return undefined;
  const what = days < 0 ? `expired on ${validTo}: clients refuse it` : `expires on ${validTo}`;
  return `The certificate ${what}. Renew it: it is read again when its file changes`;
}
