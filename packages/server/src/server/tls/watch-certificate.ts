import type { Log } from '../../lib/log.js';
import type { CertificatePair, CertificateSource } from './certificate-source.js';

const lookEveryMs = 1000;

/**
 * Looks for another certificate every second and lets new connections use it. One that cannot be used
 * (a pair that is only half written, say) is logged once, and the one in use stays. Gives the function that
 * stops looking.
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
  }, lookEveryMs);
  timer.unref();
  return () => clearInterval(timer);
}
