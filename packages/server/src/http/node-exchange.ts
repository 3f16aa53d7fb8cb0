import type { IncomingMessage, ServerResponse } from 'node:http';
import { contentLengthOf, readBody, streamBody } from './body.js';
import type { Answer } from './call.js';
import { Exchange, type Sent } from './exchange.js';

export type Send = (exchange: NodeExchange, answer: Answer) => number | Promise<Sent>;

/** A request that Node has read. */
export class NodeExchange extends Exchange {
  /** The client waits for a word before it sends its body (`Expect: 100-continue`). */
  awaitsContinue: boolean;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    requestId: string,
    private readonly sender: Send,
  ) {
    super(request.method ?? 'GET', request.url ?? '/', request.headers, requestId);
    this.awaitsContinue = this.headers.expect !== undefined;
  }

  get contentLength(): number | undefined {
    return contentLengthOf(this.request);
  }

  body(maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
    return readBody(this.request, { maxBytes, tooLarge, ask: this.ask });
  }

  stream(maxBytes: number, tooLarge: () => Error): AsyncIterable<Buffer> {
    return streamBody(this.request, { maxBytes, tooLarge, ask: this.ask });
  }

  send(answer: Answer): number | Promise<Sent> {
    return this.sender(this, answer);
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
