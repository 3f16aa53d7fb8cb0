import { nobody } from '../access/grant.js';
import type { Log } from '../lib/log.js';
import { RequestError } from '../request-error.js';
import type { Exchange, Sent } from './requests/exchange.js';

/** What the log says of a request: never a key, a body or a query string. */
export interface RequestLine {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of its route; undefined if it has none. */
  readonly route: string | undefined;
  readonly status: number;
  /** Rounded to thousandths. */
  readonly durationMs: number;
  /** The bytes of the answer's body that were sent. */
  readonly bytes: number;
  readonly project: string | undefined;
  readonly keyId: string | undefined;
}

/** Writes the line of a request that was answered completely. */
export type LogRequest = (line: RequestLine) => void;

/** Gives what logs an answered request, whether or not its answer was cut off. */
export function createRequestLog(
  log: Log,
  write: LogRequest = (line) => log.info({ ...line }, 'request'),
): (exchange: Exchange, status: number, durationMs: number, sent: Pick<Sent, 'bytes' | 'failure'>) => void {
  return (exchange, status, durationMs, { bytes, failure }) => {
    const line: RequestLine = {
      requestId: exchange.requestId,
      method: exchange.method,
      route: exchange.route,
      status,
      durationMs: Math.round(durationMs * 1000) / 1000,
      bytes,
      project: exchange.owner,
      keyId: exchange.grant === nobody ? undefined : exchange.grant.keyId,
    };
    if (failure === undefined) write(line);
    // The key has ended, for example: that is no fault of the service.
    else if (failure instanceof RequestError) log.info({ ...line, err: failure }, 'answer cut off');
    else log.error({ ...line, err: failure }, 'answer cut off');
  };
}
