import type { Socket } from 'node:net';
import { bufferedBody } from '../buffered-body.js';
import type { Answer } from '../call.js';
import { Exchange, type Sent } from '../exchange.js';
import type { ResponseHead } from '../response-head.js';
import { type Response, stream } from '../stream.js';
import type { SimpleRequest } from './simple-request.js';

export interface FastExchangeParts {
  readonly socket: Socket;
  readonly requestId: string;
  readonly responseHead: ResponseHead;
  /** Called when all of the answer was written. */
  readonly done: () => void;
}

/** A simple request, which is there as a whole. Its answer is written to the connection itself. */
export class FastExchange extends Exchange {
  constructor(
    private readonly request: SimpleRequest,
    private readonly parts: FastExchangeParts,
  ) {
    super(request.method, request.url, request.headers, parts.requestId);
  }

  get contentLength(): number | undefined {
    return this.headers['content-length'] === undefined ? undefined : this.request.body.length;
  }

  async body(maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
    const { body } = this.request;
    if (body.length > maxBytes) throw tooLarge();
    return body;
  }

  async *stream(maxBytes: number, tooLarge: () => Error): AsyncGenerator<Buffer> {
    const { body } = this.request;
    if (body.length > maxBytes) throw tooLarge();
    if (body.length > 0) yield body;
  }

  send(answer: Answer): number | Promise<Sent> {
    const { body } = answer;
    if (typeof body !== 'string' && !Buffer.isBuffer(body)) return this.sendStream(answer, body);
    const { bytes, encoding, size } = bufferedBody(body);
    const head = this.headOf(answer, size);
    const { socket, done } = this.parts;
    if (typeof bytes === 'string') socket.write(head + bytes, encoding);
    else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(bytes);
      socket.uncork();
    }
    done();
    return size;
  }

  private async sendStream(answer: Answer, body: AsyncIterable<Buffer>): Promise<Sent> {
    const { socket, done } = this.parts;
    const response = new FastResponse(socket);
    const sendHead = () => response.sendHead(this.headOf(answer, undefined));
    const sent = await stream({ body, socket, response, sendHead });
    if (!sent.isUnsent) done();
    return sent;
  }

  private headOf(answer: Answer, size: number | undefined): string {
    const head = this.parts.responseHead(answer, this.requestId, size);
    if (head === undefined) throw new TypeError('An answer has no body, or a field that cannot be sent');
    return head;
  }
}

class FastResponse implements Response {
  headersSent = false;

  constructor(private readonly socket: Socket) {}

  /** Goes out together with the first bytes of the body. */
  sendHead(head: string): void {
    const { socket } = this;
    this.headersSent = true;
    socket.cork();
    process.nextTick(() => socket.uncork());
    socket.write(head, 'latin1');
  }

  write(chunk: Buffer, done: () => void): boolean {
    return this.socket.write(chunk, done);
  }

  end(): void {}

  destroy(): void {
    this.socket.destroy();
  }
}
