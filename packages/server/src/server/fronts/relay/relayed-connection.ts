import type { Socket } from 'node:net';
import { readShared } from '../../../http/fast-path/shared-reading.js';
import { receiveWindowBytes } from '../flow-control.js';
import type { FrameWriter } from '../frame-writer.js';
import { frameKinds, maxFrameBytes } from '../frames.js';

/** The owner is told that the client has taken bytes when there are this many of them. */
const tellTakenBytes = 4096;
/** For this long, what the owner had sent before it closed is offered to the client, as the system does it for a socket. */
const lingerMs = 5000;

export interface RelayedOptions {
  readonly socket: Socket;
  readonly writer: FrameWriter;
  readonly connection: number;
  /** Called after bytes of the client were passed on. */
  readonly afterReading: () => void;
}

/** A connection of a client in the front. The owner decides everything about it, times included. */
export class RelayedConnection {
  /** The owner has room for this many more bytes. */
  private credit = receiveWindowBytes;
  private isHeld = false;
  private given = 0;
  private told = 0;

  constructor(private readonly options: RelayedOptions) {
    const { socket, writer, connection } = options;
    if (readShared(socket, this.read) === undefined) socket.on('data', this.read);
    socket.on('end', () => writer.signal(frameKinds.end, connection));
  }

  private readonly read = (bytes: Buffer): void => {
    const { socket, writer, connection, afterReading } = this.options;
    for (let at = 0; at < bytes.length; at += maxFrameBytes) {
      writer.copy(frameKinds.data, connection, bytes.subarray(at, at + maxFrameBytes));
    }
    this.credit -= bytes.length;
    if (this.credit <= 0) socket.pause();
    afterReading();
  };

  /** The owner has taken this many bytes. */
  taken(bytes: number): void {
    this.credit += bytes;
    if (this.credit > 0 && !this.isHeld) this.options.socket.resume();
  }

  /** Reads nothing until `release`. */
  hold(): void {
    this.isHeld = true;
    this.options.socket.pause();
  }

  release(): void {
    this.isHeld = false;
    if (this.credit > 0) this.options.socket.resume();
  }

  /** Sends bytes of the owner, which are overwritten later; with those that follow, if there are more of them. */
  write(bytes: Buffer, hasMore: boolean): void {
    const { socket } = this.options;
    if (socket.destroyed) return;
    if (hasMore && socket.writableCorked === 0) socket.cork();
    this.given += bytes.length;
    socket.write(Buffer.from(bytes), this.tellTaken);
    if (!hasMore && socket.writableCorked > 0) socket.uncork();
  }

  private readonly tellTaken = (): void => {
    const { socket, writer, connection } = this.options;
    const taken = this.given - socket.writableLength - this.told;
    if (taken < tellTakenBytes || socket.destroyed) return;
    this.told += taken;
    writer.signal(frameKinds.taken, connection, taken);
  };

  /** The owner sends nothing more. */
  end(): void {
    const { socket, writer, connection } = this.options;
    socket.end(() => {
      if (!socket.destroyed) writer.signal(frameKinds.ended, connection);
    });
  }

  /** The owner has closed the connection. */
  close(): void {
    const { socket } = this.options;
    if (socket.destroyed) return;
    while (socket.writableCorked > 0) socket.uncork();
    if (socket.writableLength === 0) {
      socket.destroy();
      return;
    }
    socket.pause();
    socket.destroySoon();
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  }
}
