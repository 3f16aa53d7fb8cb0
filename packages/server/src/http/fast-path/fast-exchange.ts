import type { Socket } from 'node:net';
import { type BufferedBody, bufferedBody } from '../answers/buffered-body.js';
import { hasNoBody, type ResponseHead } from '../answers/response-head.js';
import { isSliced, type Response, stream, writeInSlices } from '../answers/stream.js';
import { type BufferBudget, uncountedBytes } from '../memory/buffer-budget.js';
import { holdAnswer } from '../memory/hold-answer.js';
import { bufferedBodyFactor } from '../requests/bodies/body.js';
import type { Answer } from '../requests/call.js';
import { Exchange, type Sent } from '../requests/exchange.js';
import type { WriteTogether } from './answer-batch.js';
import type { SimpleRequest } from './simple-request.js';

export interface FastExchangeDependencies {
  readonly socket: Socket;
  readonly requestId: string;
  readonly responseHead: ResponseHead;
  readonly budget: BufferBudget;
  readonly writeTogether: WriteTogether;
  /** Called when all of the answer was written. */
  readonly done: () => void;
  /** Called in its place when the answer is the last one on its connection. */
  readonly end: () => void;
}

/** A simple request, fully in memory. Its answer is written to the socket itself. */
export class FastExchange extends Exchange {
  constructor(
    private readonly request: SimpleRequest,
    private readonly dependencies: FastExchangeDependencies,
  ) {
    super(request.method, request.target, request.headers, dependencies.requestId);
  }

  valuesOf(name: string): readonly string[] {
    // A request with a field that occurs twice is left to Node's parser.
    const value = this.headers[name];
    return value === undefined ? [] : [value as string];
  }

  get contentLength(): number | undefined {
    return this.headers['content-length'] === undefined ? undefined : this.request.body.length;
  }

  /** Like Node's parser, this regards a client that has ended its side as gone, even if it could still read. */
  get hasLeft(): boolean {
    const { socket } = this.dependencies;
    return socket.destroyed || socket.readableEnded;
  }

  body(maxBytes: number, tooLarge: () => Error): Buffer {
    return this.checkedBody(maxBytes, tooLarge);
  }

  async *stream(maxBytes: number, tooLarge: () => Error): AsyncGenerator<Buffer> {
    const body = this.checkedBody(maxBytes, tooLarge);
    if (body.length > 0) yield body;
  }

  private checkedBody(maxBytes: number, tooLarge: () => Error): Buffer {
    const { body } = this.request;
    if (body.length > maxBytes) throw tooLarge();
    if (body.length > uncountedBytes)
      this.hold = this.dependencies.budget.hold(bufferedBodyFactor * body.length);
    return body;
  }

  send(answer: Answer): number | Promise<Sent> {
    const { headers, body } = answer;
    if (typeof body !== 'string' && !Buffer.isBuffer(body))
      return this.sendStream(answer, { headers, body, isEndless: answer.isEndless });
    const buffered = bufferedBody(body);
    const { bytes, encoding, size } = buffered;
    const head = this.headOf(answer, hasNoBody(answer.status) ? undefined : size);
    const { socket, writeTogether } = this.dependencies;
    if (isSliced(socket, size)) return this.sendSliced(head, buffered);
    if (typeof bytes === 'string') {
      writeTogether(() => {
        socket.write(head + bytes, encoding);
        this.noteWritten(size);
      });
    } else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(bytes);
      socket.uncork();
      this.noteWritten(size);
    }
    return size;
  }

  private noteWritten(size: number): void {
    const { socket, budget, done, end } = this.dependencies;
    holdAnswer(budget, this, { socket, size });
    if (this.isLast) end();
    else done();
  }

  private async sendSliced(head: string, body: BufferedBody): Promise<Sent> {
    const { socket, budget, done } = this.dependencies;
    const response = new FastResponse(socket, false);
    response.sendHead(head);
    await writeInSlices(body, { socket, response, budget, exchange: this });
    done();
    return { bytes: body.size };
  }

  private async sendStream(answer: Answer, body: Parameters<typeof stream>[0]): Promise<Sent> {
    const { socket, budget, done } = this.dependencies;
    const isChunked = !answer.headers.includes('Content-Length');
    const { status, headers } = answer;
    const framed = isChunked
      ? { status, headers: [...headers, 'Transfer-Encoding', 'chunked'], body: answer.body }
      : answer;
    const response = new FastResponse(socket, isChunked);
    const sendHead = () => response.sendHead(this.headOf(framed, undefined));
    const sent = await stream(body, { socket, response, budget, sendHead, client: this });
    this.hold?.release();
    if (!sent.isUnsent) done();
    return sent;
  }

  private headOf(answer: Answer, size: number | undefined): string {
    const head = this.dependencies.responseHead(answer, this.requestId, size, this.isLast);
    if (head === undefined) throw new TypeError('An answer has no body, or a field that cannot be sent');
    return head;
  }
}

class FastResponse implements Response {
  headersSent = false;

  constructor(
    private readonly socket: Socket,
    private readonly isChunked: boolean,
  ) {}

  /** The head is sent together with the first bytes of the body. */
  sendHead(head: string): void {
    const { socket } = this;
    this.headersSent = true;
    socket.cork();
    process.nextTick(() => socket.uncork());
    socket.write(head, 'latin1');
  }

  write(chunk: Buffer, done: () => void): boolean {
    const { socket } = this;
    // In chunks, an empty one would be the end: what came after it would be read as the answer to another request.
    if (!this.isChunked || chunk.length === 0) return socket.write(chunk, done);
    socket.cork();
    socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
    socket.write(chunk);
    const isBelowMark = socket.write('\r\n', 'latin1', done);
    socket.uncork();
    return isBelowMark;
  }

  end(): void {
    if (this.isChunked) this.socket.write('0\r\n\r\n', 'latin1');
  }

  destroy(): void {
    this.socket.destroy();
  }
}
