import type { Log } from '../../lib/log.js';
import type { CertificatePair, CertificateSource } from './certificate-source.js';

const checkEveryMs = 1000;

/**
 * Looks for a new certificate every second; new connections use it. One that cannot be used (for example a pair that is
 * only half written) is logged once, and the old one stays. Gives a function that stops it.
 */
export function watchCertificate(
  source: CertificateSource,
  use: (pair: CertificatePair) => void,
  log: Log,
): () => void {
  let looking = false;
  let lastFailure: string | undefined;
  const timer = setInterval(async () => {
    if (looking) return;
    looking = true;
    try {
      const pair = await source.refresh();
      if (pair !== undefined) {
        use(pair);
        log.info({}, 'certificate replaced');
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
  return () => clearInterval(timer);
}
