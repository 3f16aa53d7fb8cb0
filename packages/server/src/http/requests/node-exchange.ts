import type { IncomingMessage, ServerResponse } from 'node:http';
import { type BufferBudget, uncountedBytes } from '../memory/buffer-budget.js';
import type { AwaitedBodies } from './bodies/awaited-bodies.js';
import { type BodyOptions, readBody, streamBody } from './bodies/body.js';
import type { Answer, StreamUse } from './call.js';
import { Exchange, type Sent } from './exchange.js';
import { pathOfTarget } from './target.js';

export interface NodeExchangeDependencies {
  readonly requestId: string;
  readonly budget: BufferBudget;
  readonly awaited: AwaitedBodies;
  readonly send: (exchange: NodeExchange, answer: Answer) => number | Promise<Sent>;
}

/** A request that Node's parser has parsed. */
export class NodeExchange extends Exchange {
  /** Whether the client waits for `100 Continue` before it sends its body. */
  awaitsContinue: boolean;

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    private readonly dependencies: NodeExchangeDependencies,
  ) {
    super(request.method ?? 'GET', pathOfTarget(request.url ?? '/'), request.headers, dependencies.requestId);
    // Clients of HTTP/1.0 know no such answer (RFC 9110, 10.1.1).
    this.awaitsContinue = this.headers.expect !== undefined && request.httpVersion !== '1.0';
  }

  valuesOf(name: string): readonly string[] {
    return this.request.headersDistinct[name] ?? [];
  }

  get contentLength(): number | undefined {
    // Node has checked that it is a number.
    const header = this.headers['content-length'];
    return header === undefined ? undefined : Number(header);
  }

  get hasLeft(): boolean {
    return this.request.socket.destroyed;
  }

  body(maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
    const announced = this.contentLength;
    if (announced !== undefined && announced > maxBytes) return Promise.reject(tooLarge());
    return readBody(this.request, this.bodyOptions(maxBytes, tooLarge));
  }

  async *stream(maxBytes: number, tooLarge: () => Error, use: StreamUse): AsyncGenerator<Buffer> {
    if ((this.contentLength ?? 0) > maxBytes) throw tooLarge();
    yield* streamBody(this.request, this.bodyOptions(maxBytes, tooLarge), use);
  }

  send(answer: Answer): number | Promise<Sent> {
    if (this.isLast) this.response.shouldKeepAlive = false;
    return this.dependencies.send(this, answer);
  }

  private bodyOptions(maxBytes: number, tooLarge: () => Error): BodyOptions {
    const { budget, awaited } = this.dependencies;
    const announced = this.contentLength;
    if (announced === undefined || announced > uncountedBytes) this.hold = budget.hold(0, this);
    const { sendContinue, hold } = this;
    return { announced, maxBytes, tooLarge, sendContinue, budget, hold, awaited, sender: this };
  }

  private get sendContinue(): (() => void) | undefined {
    if (!this.awaitsContinue) return undefined;
    return () => {
      this.awaitsContinue = false;
      this.response.writeContinue();
    };
  }
}
