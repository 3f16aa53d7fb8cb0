import { type Client, CutOff, NoAnswer, type Reply } from '../model/client.js';
import type { Outage } from './outage.js';
import type { Tally } from './tally.js';

/** Longer than every limit that a server has of its own, shorter than a user's patience. */
const patienceMs = 20_000;

/** 503: the operation may have happened or not. */
class Unavailable extends NoAnswer {
  override readonly name = 'Unavailable';
}

export interface Judged {
  readonly client: Client;
  /** Whether its server was killed by us: its connections may break. */
  readonly isKilled: () => boolean;
  readonly tally: Tally;
  readonly outage: Outage;
  readonly answerWithinMs?: number;
}

/**
 * A client that holds every answer to the contract: within the bound, whole unless the server was killed, and 503 only
 * while a part is away, "503 with Retry-After". Gives what is left: an answer that the subject judges.
 */
export function judged(parts: Judged): Client {
  const { client, isKilled, tally, outage, answerWithinMs = patienceMs } = parts;
  return {
    async send(method, path, body, requestId) {
      const isExcused = outage.watch();
      const what = `${method} ${path.split('?')[0]}`;
      let reply: Reply;
      try {
        reply = await within(answerWithinMs, client.send(method, path, body, requestId));
      } catch (cause) {
        if (cause instanceof TooLate) {
          tally.find('late', what, `${what} has no answer after ${answerWithinMs} ms`);
        } else if (cause instanceof CutOff && method === 'GET' && isExcused()) {
          // Bytes that are away in the middle of a download: there is no other way to say so.
        } else if (cause instanceof NoAnswer && !isKilled()) {
          tally.find('wrong', what, `${what}: a living server broke the connection: ${String(cause.cause)}`);
        }
        throw cause;
      }
      if (reply.status !== 503) return reply;
      const fault = faultOf(reply);
      if (fault !== undefined) tally.find('wrong', what, `${what}: 503 ${fault}`);
      if (!isExcused()) {
        tally.find('wrong', what, `${what}: 503 while every part was there: ${reply.body.toString()}`);
      }
      throw new Unavailable(`${what}: 503`);
    },
    close: client.close,
  };
}

class TooLate extends NoAnswer {
  override readonly name = 'TooLate';
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TooLate('no answer')), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function faultOf(reply: Reply): string | undefined {
  if (!/^[1-9]\d*$/.test(reply.headers['retry-after'] ?? '')) return 'without Retry-After';
  try {
    const { errors } = JSON.parse(reply.body.toString()) as { errors?: unknown };
    if (Array.isArray(errors) && errors.length > 0) return undefined;
  } catch {
    // Not JSON at all: said below.
  }
  return `with the body ${reply.body.toString().slice(0, 200)}`;
}
