import { randomBytes } from 'node:crypto';
import type { Log } from '../../lib/log.js';
import type { CertificatePair } from '../tls/certificate-source.js';
import { type Front, type FrontOptions, startFront } from './front.js';
import type { AcceptMessage, TicketKeys, ToFront } from './messages.js';

/** A front that ends sooner than this after its start is replaced later and later. */
const livedLongMs = 10_000;
const firstDelayMs = 100;
const longestDelayMs = 5000;

export interface FrontsOptions extends Omit<FrontOptions, 'accept' | 'onExit' | 'onFailure'> {
  readonly accept: Omit<AcceptMessage, 'ticketKeys'>;
  readonly count: number;
  readonly log: Log;
}

/** Starts the fronts of a server, and replaces each that ends. */
export function startFronts({ count, log, ...options }: FrontsOptions) {
  const fronts = new Set<Front>();
  const ended = { receivedBytes: 0, sentBytes: 0 };
  let { certificate } = options.accept;
  let ticketKeys = newTicketKeys();
  let isStopping = false;

  /** Resolves when it accepts connections. */
  async function begin(delayMs: number): Promise<void> {
    const startedMs = performance.now();
    let front: Front;
    try {
      front = startFront({
        ...options,
        accept: { ...options.accept, certificate, ticketKeys },
        onFailure: (cause) => log.error({ err: cause }, 'listening failed'),
        onExit({ code, signal }) {
          fronts.delete(front);
          const { receivedBytes, sentBytes } = front.traffic();
          ended.receivedBytes += receivedBytes;
          ended.sentBytes += sentBytes;
          if (isStopping) return;
          const livedLong = performance.now() - startedMs > livedLongMs;
          const waitMs = livedLong ? firstDelayMs : delayMs;
          log.error({ code, signal, restartMs: waitMs }, 'a front has ended with its connections');
          beginLater(waitMs);
        },
      });
    } catch (cause) {
      log.error({ err: cause, restartMs: delayMs }, 'a front could not be started');
      beginLater(delayMs);
      throw cause;
    }
    fronts.add(front);
    await front.listening;
  }

  function beginLater(waitMs: number): void {
    setTimeout(() => {
      if (isStopping) return;
      // The log has it.
      begin(Math.min(2 * waitMs, longestDelayMs)).catch(() => {});
    }, waitMs);
  }

  function tellAll(message: ToFront): void {
    for (const front of fronts) front.tell(message);
  }

  return {
    /** Resolves when all of them accept connections. */
    listening: Promise.all(Array.from({ length: count }, () => begin(firstDelayMs))),
    traffic() {
      let { receivedBytes, sentBytes } = ended;
      for (const front of fronts) {
        receivedBytes += front.traffic().receivedBytes;
        sentBytes += front.traffic().sentBytes;
      }
      return { receivedBytes, sentBytes };
    },
    useCertificate(pair: CertificatePair) {
      certificate = pair;
      ticketKeys = newTicketKeys();
      tellAll({ certificate, ticketKeys });
    },
    /** They accept no more, and go on with the connections that they have. */
    stopAccepting() {
      isStopping = true;
      tellAll({ stop: true });
    },
    async stop() {
      isStopping = true;
      await Promise.all(Array.from(fronts, (front) => front.stop()));
    },
  };
}

function newTicketKeys(): TicketKeys {
  return randomBytes(48).toString('hex');
}
