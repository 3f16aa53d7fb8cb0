import { Duplex } from 'node:stream';
import { pushRead } from '../../http/connections/paced-reading.js';
import type { EndSharedReading, ReadsDirectly } from '../../http/fast-path/shared-reading.js';
import { type FrontWindows, receiveWindowBytes } from './flow-control.js';
import type { FrameWriter } from './frame-writer.js';
import { frameKinds } from './frames.js';

/** A front is told that bytes were taken when there are this many of them. */
const tellTakenBytes = receiveWindowBytes / 2;
/** A text of up to this many bytes is written into the frames themselves. */
const smallBytes = 16 * 1024;

export interface FrontStreamOptions {
  readonly writer: FrameWriter;
  readonly windows: FrontWindows;
  readonly connection: number;
  readonly peer: { readonly address: string; readonly port: number };
  readonly encrypted: boolean;
}

type Done = (error?: Error | null) => void;

/**
 * A connection that a front has accepted, as the owner of the store sees it: as if it were the socket itself, with the
 * members of sockets that are used here and by Node's HTTP. A write is done when the front may have it, as a write to a
 * socket is done when the system has it; the end is done when the front has given all to the system.
 */
export class FrontStream extends Duplex implements ReadsDirectly {
  readonly encrypted: boolean;
  readonly remoteAddress: string;
  readonly remotePort: number;
  bytesRead = 0;
  bytesWritten = 0;

  private readonly writer: FrameWriter;
  private readonly id: number;
  /** Takes what arrives without the buffer of the stream. */
  private takeDirectly: ((chunk: Buffer) => void) | undefined;
  private isHeld = false;
  private held: Buffer[] = [];
  private hasEnded = false;
  /** The bytes that were taken, and of which the front was not told yet. */
  private untold = 0;
  /** The bytes of this connection that the front has, and its client has not taken. */
  private inFront = 0;
  private unsent: Buffer[] = [];
  private onUnsent: Done | undefined;
  private onEnded: Done | undefined;
  private isGone = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: FrontStreamOptions) {
    super({ allowHalfOpen: true, decodeStrings: false });
    this.writer = options.writer;
    this.id = options.connection;
    this.encrypted = options.encrypted;
    this.remoteAddress = options.peer.address;
    this.remotePort = options.peer.port;
  }

  // What the front says.

  /** The client has sent these bytes, which are overwritten later. */
  receive(bytes: Buffer): void {
    if (this.destroyed) return;
    this.bytesRead += bytes.length;
    this.untold += bytes.length;
    this.timer?.refresh();
    if (this.takeDirectly === undefined) this.pushBytes(bytes);
    else if (this.isHeld || this.held.length > 0) this.held.push(Buffer.from(bytes));
    else {
      this.takeDirectly(bytes);
      this.tellTaken();
    }
  }

  /** The client has ended its side. */
  receiveEnd(): void {
    if (this.destroyed) return;
    this.hasEnded = true;
    if (this.held.length === 0) this.push(null);
  }

  /** The client, or the system, has taken this many bytes from the front. */
  taken(bytes: number): void {
    this.inRoom(this.inFront - bytes);
    this.timer?.refresh();
    if (this.unsent.length > 0) this.sendUnsent();
  }

  /** All that was sent, and its end, was given to the system. */
  ended(): void {
    const done = this.onEnded;
    this.onEnded = undefined;
    done?.();
  }

  /**
   * The connection exists no more. What the client had sent before its end can still be read, as from a socket: the
   * stream then closes by itself.
   */
  gone(hasFailed: boolean): void {
    this.isGone = true;
    this.inRoom(0);
    const isWhole = this.hasEnded && this.writableEnded && this.onEnded === undefined;
    if (isWhole && !hasFailed) return;
    this.destroy(hasFailed ? Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) : undefined);
  }

  // Reading.

  readDirectly(take: (chunk: Buffer) => void): EndSharedReading {
    this.takeDirectly = take;
    // What has come already is taken in the next tick. It is asked for before `read`, which takes the last bytes and may
    // then ask for the tick that emits the end.
    if (this.readableLength > 0) {
      process.nextTick(this.takeHeld);
      this.held.push(this.read());
    }
    // Without this, the stream would not tell its end.
    this.resume();
    return () => {
      this.takeDirectly = undefined;
      for (const bytes of this.held.splice(0)) this.push(bytes);
      if (this.hasEnded) this.push(null);
    };
  }

  override pause(): this {
    this.isHeld = true;
    return super.pause();
  }

  override resume(): this {
    this.isHeld = false;
    if (this.held.length > 0) process.nextTick(this.takeHeld);
    return super.resume();
  }

  private readonly takeHeld = (): void => {
    while (this.takeDirectly !== undefined && !this.isHeld && this.held.length > 0) {
      this.takeDirectly(this.held.shift()!);
    }
    if (this.takeDirectly === undefined || this.held.length > 0 || this.destroyed) return;
    this.tellTaken();
    if (this.hasEnded) this.push(null);
  };

  /**
   * The stream wants more bytes. So what it got was taken, even if some of it is still in its buffer: it does not ask
   * again before it gets more.
   */
  override _read(): void {
    this.tellTaken();
  }

  private pushBytes(bytes: Buffer): void {
    pushRead(this, bytes);
    // Bytes that did not stay in the buffer of the stream were taken. For the others, `_read` tells the front.
    if (this.readableLength === 0) this.tellTaken();
  }

  private tellTaken(): void {
    if (this.untold < tellTakenBytes || this.isGone) return;
    this.writer.signal(frameKinds.taken, this.id, this.untold);
    this.untold = 0;
  }

  // Writing.

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: Done): void {
    this.timer?.refresh();
    if (typeof chunk !== 'string') {
      this.send([chunk], done);
      return;
    }
    const size = encoding === 'latin1' ? chunk.length : Buffer.byteLength(chunk, encoding);
    if (size <= smallBytes && size <= this.freeBytes()) {
      this.sending(size);
      this.writer.text(this.id, chunk, encoding, size);
      done();
    } else this.send([Buffer.from(chunk, encoding)], done);
  }

  override _writev(chunks: { chunk: Buffer | string; encoding: BufferEncoding }[], done: Done): void {
    this.timer?.refresh();
    this.send(
      chunks.map(({ chunk, encoding }) => (typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk)),
      done,
    );
  }

  private send(all: Buffer[], done: Done): void {
    this.unsent = all.filter(({ length }) => length > 0);
    this.onUnsent = done;
    this.sendUnsent();
  }

  /** Sends as much as the window allows. The rest waits until the front tells that it has room. */
  private sendUnsent(): void {
    const { unsent, onUnsent, writer } = this;
    let free = this.freeBytes();
    while (unsent.length > 0 && free > 0) {
      const [first] = unsent as [Buffer];
      const bytes = first.length > free ? first.subarray(0, free) : first;
      if (bytes === first) unsent.shift();
      else unsent[0] = first.subarray(free);
      free -= bytes.length;
      this.sending(bytes.length);
      const isLast = unsent.length === 0 || free === 0;
      writer.bytes(isLast ? frameKinds.data : frameKinds.part, this.id, bytes);
    }
    if (unsent.length > 0 || onUnsent === undefined) return;
    writer.onSent(() => {
      // The end of the connection has called it already.
      if (this.onUnsent !== onUnsent) return;
      this.onUnsent = undefined;
      onUnsent();
    });
  }

  private freeBytes(): number {
    return this.options.windows.window() - this.inFront;
  }

  private sending(bytes: number): void {
    this.inRoom(this.inFront + bytes);
    this.bytesWritten += bytes;
  }

  private inRoom(bytes: number): void {
    this.options.windows.change(this.inFront, bytes);
    this.inFront = bytes;
  }

  override _final(done: Done): void {
    this.onEnded = done;
    this.writer.signal(frameKinds.end, this.id);
  }

  override _destroy(error: Error | null, done: Done): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.isGone) this.writer.signal(frameKinds.close, this.id);
    this.isGone = true;
    this.held = [];
    const { onUnsent, onEnded } = this;
    this.unsent = [];
    this.onUnsent = undefined;
    this.onEnded = undefined;
    done(error);
    const closed = error ?? Object.assign(new Error('The connection is closed'), { code: 'ECANCELED' });
    onUnsent?.(closed);
    onEnded?.(closed);
  }

  // What sockets have besides.

  setTimeout(ms: number, onTimeout?: () => void): this {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (ms > 0 && !this.destroyed) {
      this.timer = setTimeout(() => this.emit('timeout'), ms);
      this.timer.unref();
    }
    if (onTimeout !== undefined) this.once('timeout', onTimeout);
    return this;
  }

  /** Closes when all that was written has been sent. */
  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  resetAndDestroy(): this {
    return this.destroy();
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
