import type { IncomingHttpHeaders } from 'node:http';
import type { Answer, Call } from './call.js';
import { parseQueryString, type QueryString } from './query-string.js';

type Params = Readonly<Record<string, string | undefined>>;

const noParams: Params = {};

/** How a streamed answer ended: the bytes of the body that went out, and what cut it off. */
export interface Sent {
  readonly bytes: number;
  readonly failure?: unknown;
  /** Nothing of the answer went out before the failure: another one can be given. */
  readonly isUnsent?: boolean;
}

/**
 * One request on its way: what its route sees of it, and what its log line says. A class, since every request makes
 * one: as an object with closures of its own it cost 1 µs more.
 */
export abstract class Exchange implements Call {
  readonly startedMs = performance.now();
  /** The route's pattern, once it is known. */
  route: string | undefined;
  /** The project whose key was presented, once it was checked. */
  owner: string | undefined;
  project = '';
  name = '';
  params: Params = noParams;
  queryText = '';

  constructor(
    readonly method: string,
    readonly url: string,
    readonly headers: IncomingHttpHeaders,
    readonly requestId: string,
  ) {}

  get query(): QueryString {
    return parseQueryString(this.queryText);
  }

  abstract get contentLength(): number | undefined;
  abstract body(maxBytes: number, tooLarge: () => Error): Promise<Buffer>;
  abstract stream(maxBytes: number, tooLarge: () => Error): AsyncIterable<Buffer>;
  /** Writes the answer; gives the bytes of its body, or, of a streamed one, how it ended once it has. */
  abstract send(answer: Answer): number | Promise<Sent>;
}
