import type { IncomingMessage, ServerResponse } from 'node:http';
import { bufferedBodyFactor, contentLengthOf, readBody, streamBody } from './body.js';
import { type BufferBudget, uncountedBytes } from './buffer-budget.js';
import type { Answer } from './call.js';
import { Exchange, type Sent } from './exchange.js';

export interface NodeExchangeParts {
  readonly requestId: string;
  readonly budget: BufferBudget;
  readonly send: (exchange: NodeExchange, answer: Answer) => number | Promise<Sent>;
}

/** What a blob store gathers of an upload before it writes, with the chunk that comes meanwhile. */
const uploadBytes = 512 * 1024;

/** A request that Node's parser has read. */
export class NodeExchange extends Exchange {
  /** The client waits for `100 Continue` before it sends its body. */
  awaitsContinue: boolean;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly parts: NodeExchangeParts,
  ) {
    super(request.method ?? 'GET', request.url ?? '/', request.headers, parts.requestId);
    this.awaitsContinue = this.headers.expect !== undefined;
  }

  get contentLength(): number | undefined {
    return contentLengthOf(this.request);
  }

  body(maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
    const announced = this.contentLength;
    if (announced !== undefined && announced > maxBytes) return Promise.reject(tooLarge());
    const read = () => readBody(this.request, this.bodyOptions(maxBytes, tooLarge));
    // A small one waits for nothing.
    if (announced !== undefined && announced <= uncountedBytes) return read();
    return this.reserve(announced === undefined ? 0 : bufferedBodyFactor * announced).then(read);
  }

  async *stream(maxBytes: number, tooLarge: () => Error): AsyncGenerator<Buffer> {
    const announced = this.contentLength;
    if (announced !== undefined && announced > maxBytes) throw tooLarge();
    await this.reserve(Math.min(announced ?? maxBytes, uploadBytes));
    yield* streamBody(this.request, this.bodyOptions(maxBytes, tooLarge));
  }

  send(answer: Answer): number | Promise<Sent> {
    return this.parts.send(this, answer);
  }

  /** Waits for room. The hold of a body without a known length begins with 0 bytes and grows with it. */
  private async reserve(bytes: number): Promise<void> {
    this.hold = await this.parts.budget.reserve(bytes);
  }

  private bodyOptions(maxBytes: number, tooLarge: () => Error) {
    return { maxBytes, tooLarge, sendContinue: this.sendContinue, hold: this.hold };
  }

  private get sendContinue(): (() => void) | undefined {
    if (!this.awaitsContinue) return undefined;
    return () => {
      this.awaitsContinue = false;
      this.response.writeContinue();
    };
  }
}
