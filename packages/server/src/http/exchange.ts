import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { contentLengthOf, readBody, streamBody } from './body.js';
import type { Call } from './call.js';
import { parseQueryString, type QueryString } from './query-string.js';

type Params = Readonly<Record<string, string | undefined>>;

const noParams: Params = {};

/**
 * One request on its way: what its route sees of it, and what its log line says. A class, since every request makes
 * one: as an object with closures of its own it cost 1 µs more.
 */
export class Exchange implements Call {
  readonly startedMs = performance.now();
  /** The route's pattern, once it is known. */
  route: string | undefined;
  /** The project whose key was presented, once it was checked. */
  owner: string | undefined;
  project = '';
  name = '';
  params: Params = noParams;
  queryText = '';
  /** The client waits for a word before it sends its body (`Expect: 100-continue`). */
  awaitsContinue: boolean;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly requestId: string,
  ) {
    this.awaitsContinue = request.headers.expect !== undefined;
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  get contentLength(): number | undefined {
    return contentLengthOf(this.request);
  }

  get query(): QueryString {
    return parseQueryString(this.queryText);
  }

  body(maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
    return readBody(this.request, { maxBytes, tooLarge, ask: this.ask });
  }

  stream(maxBytes: number, tooLarge: () => Error): AsyncIterable<Buffer> {
    return streamBody(this.request, { maxBytes, tooLarge, ask: this.ask });
  }

  /** Only who waits for a word is given one. */
  private get ask(): (() => void) | undefined {
    if (!this.awaitsContinue) return undefined;
    return () => {
      this.awaitsContinue = false;
      this.response.writeContinue();
    };
  }
}
