import type { Socket } from 'node:net';
import { type FrameKind, frameKinds, headBytes, maxFrameBytes, writeHead } from './frames.js';

type DataKind = typeof frameKinds.data | typeof frameKinds.part;

const pageBytes = 128 * 1024;
/** This many bytes or more are not copied: they are written from where they are. */
const referBytes = 16 * 1024;

/**
 * Collects the frames of one turn of the event loop and writes them at once: a call of the system for a whole turn is
 * what makes fronts pay.
 */
export class FrameWriter {
  private page = Buffer.allocUnsafeSlow(pageBytes);
  private from = 0;
  private at = 0;
  private parts: Buffer[] = [];
  private partBytes = 0;
  private sent: (() => void)[] = [];
  /** Whether bytes wait that were not copied, here or in the socket. */
  private refers = false;
  /** Whether `flush` comes: in this turn, or when the system has taken what the socket has. */
  private isDue = false;

  constructor(private readonly socket: Socket) {}

  /** The bytes that the socket has not taken yet. */
  get waitingBytes(): number {
    return this.partBytes + this.at - this.from + this.socket.writableLength;
  }

  signal(kind: FrameKind, connection: number, size = 0): void {
    this.makeRoom(headBytes);
    this.at = writeHead(this.page, this.at, { kind, connection, size });
  }

  /** `size` is the text's in that encoding, at most `maxFrameBytes`. */
  text(connection: number, text: string, encoding: BufferEncoding, size: number): void {
    this.makeRoom(headBytes + size);
    this.at = writeHead(this.page, this.at, { kind: frameKinds.data, connection, size });
    this.at += this.page.write(text, this.at, encoding);
  }

  /** Copies these bytes, which may be overwritten as soon as this returns. At most `maxFrameBytes`. */
  copy(kind: FrameKind, connection: number, bytes: Buffer): void {
    this.makeRoom(headBytes + bytes.length);
    const start = writeHead(this.page, this.at, { kind, connection, size: bytes.length });
    this.page.set(bytes, start);
    this.at = start + bytes.length;
  }

  /** Sends bytes of any size in frames: their last one of this kind. They may be overwritten once `onSent` says so. */
  bytes(kind: DataKind, connection: number, bytes: Buffer): void {
    if (bytes.length < referBytes) {
      this.copy(kind, connection, bytes);
      return;
    }
    for (let at = 0; at < bytes.length; at += maxFrameBytes) {
      const part = bytes.subarray(at, at + maxFrameBytes);
      this.makeRoom(headBytes);
      const isLast = at + part.length === bytes.length;
      const frame = { kind: isLast ? kind : frameKinds.part, connection, size: part.length };
      this.at = writeHead(this.page, this.at, frame);
      this.closePart();
      this.parts.push(part);
      this.partBytes += part.length;
    }
    this.refers = true;
  }

  /** Calls `then` when all bytes that were given may be overwritten: at once if they were copied. */
  onSent(then: () => void): void {
    if (this.refers) this.sent.push(then);
    else then();
  }

  /** Calls `then` once, when everything that waits now was taken. */
  whenEmpty(then: () => void): void {
    this.sent.push(then);
    this.makeRoom(0);
  }

  private makeRoom(bytes: number): void {
    if (!this.isDue) {
      this.isDue = true;
      setImmediate(this.flush);
    }
    if (this.page.length - this.at >= bytes) return;
    this.closePart();
    this.page = Buffer.allocUnsafeSlow(pageBytes);
    this.from = 0;
    this.at = 0;
  }

  private closePart(): void {
    if (this.at === this.from) return;
    this.parts.push(this.page.subarray(this.from, this.at));
    this.partBytes += this.at - this.from;
    this.from = this.at;
  }

  private readonly flush = (): void => {
    this.closePart();
    const { socket, sent, parts } = this;
    // What is added while the system is full belongs to the next call, so the lists are new ones.
    this.sent = [];
    this.parts = [];
    this.partBytes = 0;
    let isLate = false;
    const then = (): void => {
      for (const call of sent) call();
      if (isLate) this.afterLate();
    };
    socket.cork();
    parts.forEach((part, index) => void socket.write(part, index === parts.length - 1 ? then : undefined));
    socket.uncork();
    if (parts.length === 0) process.nextTick(then);
    // The system usually takes all of it at once. Otherwise the page is still needed, and what comes next waits: while
    // the system is full, more calls of it would only cost time.
    isLate = socket.writableLength > 0;
    this.isDue = isLate;
    if (isLate) return;
    this.refers = false;
    this.from = 0;
    this.at = 0;
  };

  private afterLate(): void {
    this.isDue = false;
    this.refers = this.parts.length > 0;
    if (this.refers || this.at > this.from || this.sent.length > 0) this.makeRoom(0);
  }
}
