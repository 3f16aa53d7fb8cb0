import type { Log } from '../../lib/log.js';
import type { CertificatePair, CertificateSource } from './certificate-source.js';
import { expiryWarning } from './expiry.js';

const checkEveryMs = 1000;
const warnEveryMs = 86_400_000;

/**
 * Looks for a new certificate every second; new connections use it. One that cannot be used (for example a pair that is
 * only half written) is logged once, and the old one stays. One that has expired, or will soon, is logged every day; the start
 * tells of it, too. Gives a function that stops it.
 */
export function watchCertificate(
  source: CertificateSource,
  use: (pair: CertificatePair) => void,
  log: Log,
): () => void {
  let current = source.pair;
  let looking = false;
  let lastFailure: string | undefined;
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    try {
      const pair = await source.refresh();
      if (pair !== undefined) {
        use(pair);
        current = pair;
        log.info({}, 'certificate replaced');
        warn();
      }
      lastFailure = undefined;
    } catch (cause) {
      const failure = String(cause);
      if (failure !== lastFailure) log.error({ err: cause }, 'certificate kept: the new one cannot be used');
      lastFailure = failure;
    } finally {
      looking = false;
    }
  }, checkEveryMs);
  timer.unref();
  const daily = setInterval(warn, warnEveryMs);
  daily.unref();

  function warn(): void {
    const warning = expiryWarning(current, Date.now());
    if (warning !== undefined) log.error({}, warning);
  }

  return () => {
    clearInterval(timer);
    clearInterval(daily);
  };
}
