import type { Socket } from 'node:net';
import { createSimpleReader, type SimpleRequest } from './simple-request.js';

export interface FastConnectionOptions {
  /** A connection that says nothing for so long at its beginning is too late. */
  readonly firstRequestMs: number;
  /** One that says nothing for so long behind an answer is closed. */
  readonly idleMs: number;
  readonly tooLate: (socket: Socket) => void;
  /** Gives the socket to Node's reader. What was not understood is in front of what still comes. */
  readonly handOver: () => void;
  /** Answers the request; `done` is called behind its answer. */
  readonly take: (request: SimpleRequest) => void;
}

type State = 'new' | 'busy' | 'idle';

const connectionOf = Symbol('fast connection');

interface Marked {
  [connectionOf]?: FastConnection | undefined;
}

/** Where a connection is that Node's reader does not know (yet); undefined for one that it knows. */
export function fastStateOf(socket: Socket): State | undefined {
  return (socket as Marked)[connectionOf]?.state;
}

/** A connection whose requests are answered one by one, in their order, as long as each is a simple one. */
export class FastConnection {
  private readonly read = createSimpleReader();
  state: State = 'new';
  private waiting: Buffer | undefined;
  private hasEnded = false;

  constructor(
    private readonly socket: Socket,
    private readonly options: FastConnectionOptions,
  ) {
    (socket as Marked)[connectionOf] = this;
    socket.on('data', this.onData);
    socket.on('end', this.onEnd);
    socket.on('timeout', this.onTimeout);
    // It closes by itself when it breaks. This one stays: between here and Node somebody must listen.
    socket.on('error', ignore);
    socket.setTimeout(options.firstRequestMs);
  }

  private readonly onData = (chunk: Buffer): void => {
    if (this.state !== 'busy') {
      this.take(chunk);
      return;
    }
    // The next request, while one is under way: it waits, and the client with it.
    this.waiting = this.waiting === undefined ? chunk : Buffer.concat([this.waiting, chunk]);
    this.socket.pause();
  };

  private readonly onEnd = (): void => {
    this.hasEnded = true;
    if (this.state !== 'busy') this.socket.end();
  };

  private readonly onTimeout = (): void => {
    if (this.state === 'idle') this.socket.destroy();
    else if (this.state === 'new') {
      this.leave();
      this.options.tooLate(this.socket);
    }
  };

  private take(chunk: Buffer): void {
    const request = this.read(chunk);
    if (request === undefined) {
      this.leave();
      this.socket.unshift(chunk);
      this.options.handOver();
      return;
    }
    if (this.state === 'new') this.socket.setTimeout(this.options.idleMs);
    this.state = 'busy';
    this.options.take(request);
  }

  /** The answer was written. The next one waits until the client has taken this one. */
  readonly done = (): void => {
    if (this.socket.writableNeedDrain) this.socket.once('drain', this.next);
    else this.next();
  };

  private readonly next = (): void => {
    this.state = 'idle';
    if (this.waiting !== undefined) queueMicrotask(this.takeWaiting);
    else if (this.hasEnded) this.socket.end();
  };

  private readonly takeWaiting = (): void => {
    const chunk = this.waiting;
    if (chunk === undefined || this.socket.destroyed) return;
    this.waiting = undefined;
    this.take(chunk);
    this.socket.resume();
  };

  private leave(): void {
    const { socket } = this;
    (socket as Marked)[connectionOf] = undefined;
    socket.setTimeout(0);
    socket.removeListener('data', this.onData);
    socket.removeListener('end', this.onEnd);
    socket.removeListener('timeout', this.onTimeout);
  }
}

function ignore(): void {}
