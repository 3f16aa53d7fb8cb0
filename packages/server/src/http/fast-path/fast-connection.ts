import type { Socket } from 'node:net';
import { runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { parseInPieces, readInTurn } from '../connections/paced-reading.js';
import type { BufferBudget, Hold } from '../memory/buffer-budget.js';
import { type EndSharedReading, ownBytes, readShared } from './shared-reading.js';
import { createSimpleReader, type SimpleRequest } from './simple-request.js';

export interface FastConnectionOptions {
  /** The time for the first request of a connection to begin. */
  readonly firstRequestMs: number;
  /** A connection is closed if no request arrives for this time after an answer. */
  readonly idleMs: number;
  readonly budget: BufferBudget;
  /** Ends a connection on which no request came in time. */
  readonly onFirstRequestTimeout: (socket: Socket) => void;
  /** Ends a connection whose client has closed its side within a request. */
  readonly onCutOff: (socket: Socket) => void;
  /** Hands the socket over to Node's parser. Bytes that were not understood are put back in front of those to come. */
  readonly handOver: () => void;
  /** Answers the request; `done` is called after its answer is written. */
  readonly onRequest: (request: SimpleRequest) => void;
}

type State = 'new' | 'busy' | 'idle';

/** Up to this many bytes are handed to Node's parser without a wait. */
const smallChunkBytes = 4096;

/** A client that does not close its side after its last answer is cut off. */
const lingerMs = 1000;

const connectionKey = Symbol('fast connection');

interface WithConnection {
  [connectionKey]?: FastConnection | undefined;
}

/** The state of a connection on the fast path; undefined if Node's parser has the connection. */
export function fastStateOf(socket: Socket): State | undefined {
  return (socket as WithConnection)[connectionKey]?.state;
}

/** How many requests have begun on it; undefined if Node's parser has the connection. */
export function requestsBegun(socket: Socket): number | undefined {
  return (socket as WithConnection)[connectionKey]?.requests;
}

/** A connection whose requests are answered one by one, in their order, as long as all of them are simple. */
export class FastConnection {
  private readonly read = createSimpleReader();
  state: State = 'new';
  requests = 0;
  /** Bytes after the request in progress, and what the budget counts for them. */
  private early: Buffer | undefined;
  private earlyHold: Hold | undefined;
  /** The beginning of a request whose rest has probably arrived, but has not been read yet. */
  private part: Buffer | undefined;
  private hasEnded = false;
  private readonly endSharedReading: EndSharedReading | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly options: FastConnectionOptions,
  ) {
    (socket as WithConnection)[connectionKey] = this;
    this.endSharedReading = readShared(socket, this.onData);
    if (this.endSharedReading === undefined) socket.on('data', this.onData);
    socket.on('end', this.onEnd);
    socket.on('timeout', this.onTimeout);
    // This listener stays, so that there is one until Node adds its own.
    socket.on('error', this.onError);
    socket.setTimeout(options.firstRequestMs);
  }

  private readonly onData = (chunk: Buffer): void => {
    if (this.part !== undefined) {
      const whole = Buffer.concat([this.part, chunk]);
      this.part = undefined;
      this.take(whole, false);
    } else if (this.state === 'busy') {
      this.keepEarly(this.early === undefined ? ownBytes(chunk) : Buffer.concat([this.early, chunk]));
    } else {
      this.take(chunk, false);
    }
  };

  private readonly onEnd = (): void => {
    this.hasEnded = true;
    if (this.part !== undefined) {
      this.part = undefined;
      this.leave();
      this.options.onCutOff(this.socket);
    } else if (this.state !== 'busy') this.socket.end();
  };

  /** A socket closes by itself after an error, but for one: when a client negotiates TLS again and again. */
  private readonly onError = (): void => {
    if (isOn(this.socket, this)) this.socket.destroy();
  };

  private readonly onTimeout = (): void => {
    if (this.state === 'idle') this.socket.destroy();
    else if (this.state === 'new') {
      this.leave();
      this.options.onFirstRequestTimeout(this.socket);
    }
  };

  /** Answers the first request of the chunk, and keeps the rest. `mayWait`: whether its end may be about to be read. */
  private take(chunk: Buffer, mayWait: boolean): void {
    const request = this.read(chunk);
    if (request === 'incomplete' && mayWait) {
      this.awaitRest(chunk);
      return;
    }
    if (request === undefined || request === 'incomplete') {
      this.handOver(chunk);
      return;
    }
    if (this.state === 'new') this.socket.setTimeout(this.options.idleMs);
    this.state = 'busy';
    this.requests++;
    if (request.bytes < chunk.length) this.keepEarly(ownBytes(chunk.subarray(request.bytes)));
    this.options.onRequest(request);
  }

  /**
   * Puts the bytes back in front of those to come, for Node's parser. If they may be many requests, other connections come
   * first.
   */
  private handOver(bytes: Buffer): void {
    const { socket } = this;
    const chunk = ownBytes(bytes);
    this.leave();
    const start = () => {
      if (socket.destroyed) return;
      socket.unshift(chunk);
      this.options.handOver();
      parseInPieces(socket);
      socket.resume();
    };
    socket.pause();
    if (chunk.length <= smallChunkBytes) start();
    else readInTurn(start);
  }

  /** Keeps bytes of the next requests until this one is answered, and reads no more in the meantime. */
  private keepEarly(bytes: Buffer): void {
    this.socket.pause();
    this.early = bytes;
    if (this.earlyHold === undefined) {
      const hold = this.options.budget.hold(0);
      this.earlyHold = hold;
      this.socket.once('close', () => hold.release());
    }
    this.earlyHold.resize(bytes.length);
  }

  /** The answer was written. The next request waits until the client has read this answer. */
  readonly done = (): void => {
    if (this.socket.writableNeedDrain) this.socket.once('drain', this.next);
    else this.next();
  };

  /** The last answer was written. What the client still sends is not answered. */
  readonly end = (): void => {
    const { socket } = this;
    socket.end();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };

  private readonly next = (): void => {
    this.state = 'idle';
    if (this.early !== undefined) queueMicrotask(this.takeEarlyInTurn);
    else if (this.hasEnded) this.socket.end();
  };

  /** A chunk may hold a thousand requests: the event loop comes round between them. */
  private readonly takeEarlyInTurn = (): void => {
    void runInSlices(this.takeEarly());
  };

  private *takeEarly(): Steps<void> {
    yield;
    const chunk = this.early;
    if (chunk === undefined || this.socket.destroyed) return;
    this.early = undefined;
    this.earlyHold?.release();
    this.take(chunk, true);
    if (isOn(this.socket, this) && this.early === undefined) this.socket.resume();
  }

  /** Waits for the rest of a request: a client that sends many without a pause has its end in the next chunk. */
  private awaitRest(part: Buffer): void {
    this.part = part;
    // What has arrived is read before the second turn. Otherwise the client is slow, and Node watches its time.
    setImmediate(() => setImmediate(this.stopWaiting, part));
  }

  private readonly stopWaiting = (part: Buffer): void => {
    if (this.part !== part || this.socket.destroyed) return;
    this.part = undefined;
    this.handOver(part);
  };

  private leave(): void {
    const { socket } = this;
    (socket as WithConnection)[connectionKey] = undefined;
    socket.setTimeout(0);
    if (this.endSharedReading === undefined) socket.removeListener('data', this.onData);
    else this.endSharedReading();
    socket.removeListener('end', this.onEnd);
    socket.removeListener('timeout', this.onTimeout);
  }
}

/** Whether the socket is still that of the fast path. */
function isOn(socket: Socket, connection: FastConnection): boolean {
  return (socket as WithConnection)[connectionKey] === connection;
}
