import { type Client, CutOff, NoAnswer, type Reply, type RequestHeaders } from '../model/client.js';
import type { Outage } from './outage.js';
import type { Tally } from './tally.js';

/** Longer than every timeout of the server, shorter than the timeouts that clients usually have. */
const answerTimeoutMs = 20_000;

/** An answer of 503: the operation may have happened or not. */
class Unavailable extends NoAnswer {
  override readonly name = 'Unavailable';
}

export interface CheckedClientOptions {
  readonly client: Client;
  /** Whether the test has killed the server, so that its connections may break. */
  readonly isKilled: () => boolean;
  readonly tally: Tally;
  readonly outage: Outage;
  readonly timeoutMs?: number;
}

/**
 * A client that checks every answer: it arrives in time, it is complete unless the server was killed, and it is a 503
 * with `Retry-After` only while a component is unavailable (docs/http.md#errors). What it returns is left to the model.
 */
export function checkedClient(options: CheckedClientOptions): Client {
  const { client, isKilled, tally, outage, timeoutMs = answerTimeoutMs } = options;
  return {
    async send(method, path, body, headers) {
      const isExcused = outage.watch();
      const what = `${method} ${path.split('?')[0]}`;
      let reply: Reply;
      try {
        reply = await within(timeoutMs, client.send(method, path, body, headers));
      } catch (cause) {
        if (cause instanceof TooLate) {
          tally.find('late', what, `${what} has no answer after ${timeoutMs} ms`);
        } else if (cause instanceof CutOff && isStreamed(method, headers) && isExcused()) {
          // The storage became unavailable after the answer had begun: the server can only cut the connection.
        } else if (cause instanceof NoAnswer && !isKilled()) {
          tally.find('wrong', what, `${what}: a running server broke the connection: ${String(cause.cause)}`);
        }
        throw cause;
      }
      if (reply.status !== 503) return reply;
      const error = errorIn(reply);
      if (error !== undefined) tally.find('wrong', what, `${what}: 503 ${error}`);
      if (!isExcused()) {
        tally.find(
          'wrong',
          what,
          `${what}: 503 while every component was available: ${reply.body.toString()}`,
        );
      }
      throw new Unavailable(`${what}: 503`);
    },
    close: client.close,
  };
}

/** Whether the answer begins before all of it is known: a download, an export, an import. */
function isStreamed(method: string, headers: RequestHeaders = {}): boolean {
  return method === 'GET' || headers['Content-Type'] === 'application/x-ndjson';
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

function errorIn(reply: Reply): string | undefined {
  if (!/^[1-9]\d*$/.test(reply.headers['retry-after'] ?? '')) return 'without Retry-After';
  try {
    const { errors } = JSON.parse(reply.body.toString()) as { errors?: unknown };
    if (Array.isArray(errors) && errors.length > 0) return undefined;
  } catch {
    // Not JSON: reported below.
  }
  return `with the body ${reply.body.toString().slice(0, 200)}`;
}
