import type { Socket } from 'node:net';
import { readInto } from '../../../http/fast-path/shared-reading.js';
import { FrameWriter } from '../frame-writer.js';
import { FrameReader, frameKinds } from '../frames.js';
import { RelayedConnection } from './relayed-connection.js';

/** When this many bytes wait for the owner, the front reads no more from its clients. */
const mostWaitingBytes = 1024 * 1024;

/** Passes the bytes of connections on to the owner, and its answers back. */
export type Relay = ReturnType<typeof createRelay>;

/** `frames` leads to the owner. */
export function createRelay(frames: Socket) {
  const writer = new FrameWriter(frames);
  /** The sockets of all connections that are not closed, and what passes on those that have begun. */
  const sockets = new Map<number, Socket>();
  const begun = new Map<number, RelayedConnection>();
  let last = 0;
  let isFull = false;

  const readings = new FrameReader((kind, connection, size, bytes) => {
    const relayed = begun.get(connection);
    if (kind === frameKinds.close) close(connection, relayed);
    else if (relayed === undefined) return;
    else if (kind === frameKinds.data) relayed.write(bytes, false);
    else if (kind === frameKinds.part) relayed.write(bytes, true);
    else if (kind === frameKinds.taken) relayed.taken(size);
    else if (kind === frameKinds.end) relayed.end();
  });

  function close(connection: number, relayed: RelayedConnection | undefined): void {
    begun.delete(connection);
    if (relayed === undefined) sockets.get(connection)?.destroy();
    else relayed.close();
  }

  /** One connection cannot fill the way to the owner, but all of them can, while it is busy. */
  function afterReading(): void {
    if (isFull || writer.waitingBytes <= mostWaitingBytes) return;
    isFull = true;
    for (const relayed of begun.values()) relayed.hold();
    writer.whenEmpty(() => {
      isFull = false;
      for (const relayed of begun.values()) relayed.release();
    });
  }

  readInto(frames, readings);
  return {
    /** Tells the owner of a new connection. Its number is for `begin`. */
    open(socket: Socket) {
      do last = (last + 1) >>> 0;
      while (sockets.has(last));
      sockets.set(last, socket);
      const address = Buffer.from(`  ${socket.remoteAddress ?? ''}`, 'latin1');
      address.writeUInt16LE(socket.remotePort ?? 0, 0);
      writer.copy(frameKinds.open, last, address);
      return last;
    },
    /** Tells that the handshake of the connection is finished. */
    secured: (connection: number) => writer.signal(frameKinds.secured, connection),
    /** Passes on what arrives from now on, on this socket. */
    begin(connection: number, socket: Socket) {
      sockets.set(connection, socket);
      const relayed = new RelayedConnection({ socket, writer, connection, afterReading });
      begun.set(connection, relayed);
      if (isFull) relayed.hold();
    },
    /** Nothing is left of the connection. */
    closed(connection: number, hasFailed: boolean) {
      begun.delete(connection);
      sockets.delete(connection);
      writer.signal(frameKinds.close, connection, hasFailed ? 1 : 0);
    },
  };
}
