import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Settings } from '../../config/settings.js';
import { type Finding, failed, ok, warning } from '../../lib/finding.js';
import { hostOf } from '../../lib/text/url-host.js';
import { OperatorError } from '../../operator-error.js';
import { soonDays, validDays } from '../tls/expiry.js';
import { openGivenCertificate } from '../tls/given-certificate.js';
import { ownNames } from '../tls/own-names.js';

/** Whether clients will accept the certificate of these settings. */
export async function certificate(settings: Settings, nowMs: number): Promise<Finding> {
  const { tlsCert, tlsKey, https, publicUrl } = settings;
  const host = publicUrl === undefined ? undefined : hostOf(new URL(publicUrl));
  if (tlsCert === undefined || tlsKey === undefined) {
    if (!https) return ok('certificate', 'none: plain HTTP');
    const found = 'the server makes and renews its own';
    const authority = await readFile(join(settings.dataFolder, 'tls', 'ca.crt')).catch(() => undefined);
    const validFrom = authority && validFromOf(authority);
    if (validFrom !== undefined && Date.parse(validFrom) > nowMs) {
      const advice =
        'Correct the clock. If it was wrong when the authority was made: see "The server does not start".';
      return failed('certificate', `its authority is valid only from ${validFrom}`, advice);
    }
    if (host === undefined || [...ownNames, ...settings.hostnames].includes(host))
      return ok('certificate', found);
    return warning(
      'certificate',
      `${found}, which is not for ${host}, the host of --public-url`,
      `Add --hostname ${host}, unless a proxy there has its own.`,
    );
  }
  try {
    const { pair } = await openGivenCertificate(tlsCert, tlsKey);
    const certificate = new X509Certificate(pair.cert);
    const { validFrom, validTo, subjectAltName } = certificate;
    const days = validDays(certificate, nowMs);
    if (days < 0) return failed('certificate', `expired on ${validTo}`, `Renew ${tlsCert}.`);
    if (Date.parse(validFrom) > nowMs) {
      return failed('certificate', `valid only from ${validFrom}`, 'Correct the clock, or the certificate.');
    }
    if (subjectAltName === undefined) {
      const advice = 'Clients refuse it: issue one with a subject alternative name for each host name.';
      return failed('certificate', 'it names no host', advice);
    }
    const found = `${subjectAltName}, valid for ${days} days`;
    if (host !== undefined && !isFor(certificate, host)) {
      const wrong = `${found}: it is not for ${host}, the host of --public-url`;
      return warning('certificate', wrong, `Issue one for ${host}, unless a proxy there has its own.`);
    }
    if (days >= soonDays) return ok('certificate', found);
    return warning('certificate', found, `Renew ${tlsCert}. The server reads it again when it changes.`);
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause;
    return failed('certificate', cause.message, 'Correct --tls-cert and --tls-key.');
  }
}

/** Undefined if it cannot be read: the server says so. */
function validFromOf(certificate: Buffer): string | undefined {
  try {
    return new X509Certificate(certificate).validFrom;
  } catch {
    return undefined;
  }
}

function isFor(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}
