import type { Socket } from 'node:net';
import type { BufferBudget, Hold } from '../buffer-budget.js';
import { createSimpleReader, type SimpleRequest } from './simple-request.js';

export interface FastConnectionOptions {
  /** The time for the first request of a connection to begin. */
  readonly firstRequestMs: number;
  /** A connection is closed if no request arrives for this time after an answer. */
  readonly idleMs: number;
  readonly budget: BufferBudget;
  readonly onFirstRequestTimeout: (socket: Socket) => void;
  /** Hands the socket over to Node's parser. Bytes that were not understood are put back in front of those to come. */
  readonly handOver: () => void;
  /** Answers the request; `done` is called after its answer is written. */
  readonly onRequest: (request: SimpleRequest) => void;
}

type State = 'new' | 'busy' | 'idle';

const connectionKey = Symbol('fast connection');

interface WithConnection {
  [connectionKey]?: FastConnection | undefined;
}

/** The state of a connection on the fast path; undefined if Node's parser has the connection. */
export function fastStateOf(socket: Socket): State | undefined {
  return (socket as WithConnection)[connectionKey]?.state;
}

/** A connection whose requests are answered one by one, in their order, as long as all of them are simple. */
export class FastConnection {
  private readonly read = createSimpleReader();
  state: State = 'new';
  /** Bytes that arrived while a request was in progress, and what the budget counts for them. */
  private early: Buffer | undefined;
  private earlyHold: Hold | undefined;
  private hasEnded = false;

  constructor(
    private readonly socket: Socket,
    private readonly options: FastConnectionOptions,
  ) {
    (socket as WithConnection)[connectionKey] = this;
    socket.on('data', this.onData);
    socket.on('end', this.onEnd);
    socket.on('timeout', this.onTimeout);
    // A socket closes by itself after an error. This listener stays, so that there is one until Node adds its own.
    socket.on('error', ignore);
    socket.setTimeout(options.firstRequestMs);
  }

  private readonly onData = (chunk: Buffer): void => {
    if (this.state === 'busy') this.keepEarly(chunk);
    else this.take(chunk);
  };

  private readonly onEnd = (): void => {
    this.hasEnded = true;
    if (this.state !== 'busy') this.socket.end();
  };

  private readonly onTimeout = (): void => {
    if (this.state === 'idle') this.socket.destroy();
    else if (this.state === 'new') {
      this.leave();
      this.options.onFirstRequestTimeout(this.socket);
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
    this.options.onRequest(request);
  }

  /** Keeps bytes of the next request until this one is answered, and reads no more meanwhile. */
  private keepEarly(chunk: Buffer): void {
    const { socket } = this;
    socket.pause();
    this.early = this.early === undefined ? chunk : Buffer.concat([this.early, chunk]);
    if (this.earlyHold === undefined) {
      const hold = this.options.budget.hold(0);
      this.earlyHold = hold;
      socket.once('close', () => hold.release());
    }
    this.earlyHold.resize(this.early.length);
  }

  /** The answer was written. The next request waits until the client has read this answer. */
  readonly done = (): void => {
    if (this.socket.writableNeedDrain) this.socket.once('drain', this.next);
    else this.next();
  };

  private readonly next = (): void => {
    this.state = 'idle';
    if (this.early !== undefined) queueMicrotask(this.takeEarly);
    else if (this.hasEnded) this.socket.end();
  };

  private readonly takeEarly = (): void => {
    const chunk = this.early;
    if (chunk === undefined || this.socket.destroyed) return;
    this.early = undefined;
    this.earlyHold?.release();
    this.take(chunk);
    this.socket.resume();
  };

  private leave(): void {
    const { socket } = this;
    (socket as WithConnection)[connectionKey] = undefined;
    socket.setTimeout(0);
    socket.removeListener('data', this.onData);
    socket.removeListener('end', this.onEnd);
    socket.removeListener('timeout', this.onTimeout);
  }
}

function ignore(): void {}
