import { X509Certificate } from 'node:crypto';
import type { Settings } from '../../config/settings.js';
import { OperatorError } from '../../operator-error.js';
import { openGivenCertificate } from '../tls/given-certificate.js';
import { type Finding, failed, ok, warning } from './finding.js';

const dayMs = 86_400_000;
/** Who renews certificates does it earlier. */
const soonDays = 14;

/** Whether clients will accept the certificate of these settings. */
export async function certificate({ tlsCert, tlsKey, https }: Settings, nowMs: number): Promise<Finding> {
  if (tlsCert === undefined || tlsKey === undefined) {
    return ok('certificate', https ? 'the server makes and renews its own' : 'none: plain HTTP');
  }
  try {
    const { pair } = await openGivenCertificate(tlsCert, tlsKey);
    const { validFrom, validTo, subjectAltName } = new X509Certificate(pair.cert);
    const days = Math.floor((Date.parse(validTo) - nowMs) / dayMs);
    if (days < 0) return failed('certificate', `expired on ${validTo}`, `Renew ${tlsCert}.`);
    if (Date.parse(validFrom) > nowMs) {
      return failed('certificate', `valid only from ${validFrom}`, 'Correct the clock, or the certificate.');
    }
    if (subjectAltName === undefined) {
      const advice = 'Clients refuse it: issue one with a subject alternative name for each host name.';
      return failed('certificate', 'it names no host', advice);
    }
    const found = `${subjectAltName}, valid for ${days} days`;
    if (days >= soonDays) return ok('certificate', found);
    return warning('certificate', found, `Renew ${tlsCert}. The server reads it again when it changes.`);
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause;
    return failed('certificate', cause.message, 'Correct --tls-cert and --tls-key.');
  }
}
