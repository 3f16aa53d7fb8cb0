import type { Socket } from 'node:net';
import { readInto } from '../../http/fast-path/shared-reading.js';
import { FrontWindows } from './flow-control.js';
import { FrameWriter } from './frame-writer.js';
import { FrameReader, frameKinds } from './frames.js';
import { FrontStream } from './front-stream.js';

export interface ConnectionEvents {
  /** Called with each connection, in its handshake if there is TLS. */
  readonly onOpen: (stream: FrontStream) => void;
  /** Called when the connection may speak HTTP. */
  readonly onReady: (stream: FrontStream) => void;
}

/** Makes streams of the connections that a front tells of. `frames` leads to it: when it is closed, they are, too. */
export function receiveConnections(
  frames: Socket,
  { onOpen, onReady }: ConnectionEvents,
  encrypted: boolean,
): void {
  /** Those that the front has, also what it still sends of one that was closed here. */
  const streams = new Map<number, FrontStream>();
  const writer = new FrameWriter(frames);
  const windows = new FrontWindows();

  function open(connection: number, bytes: Buffer): void {
    const peer = { port: bytes.readUInt16LE(0), address: bytes.toString('latin1', 2) };
    const stream = new FrontStream({ writer, windows, connection, peer, encrypted });
    streams.set(connection, stream);
    // It may end before anybody else listens.
    stream.on('error', () => {});
    onOpen(stream);
    if (!encrypted) onReady(stream);
  }

  const reader = new FrameReader((kind, connection, size, bytes) => {
    if (kind === frameKinds.open) {
      open(connection, bytes);
      return;
    }
    const stream = streams.get(connection);
    if (stream === undefined) return;
    if (kind === frameKinds.data) stream.receive(bytes);
    else if (kind === frameKinds.taken) stream.taken(size);
    else if (kind === frameKinds.end) stream.receiveEnd();
    else if (kind === frameKinds.ended) stream.ended();
    else if (kind === frameKinds.close) {
      streams.delete(connection);
      stream.gone(size === 1);
    } else if (kind === frameKinds.secured && !stream.destroyed) onReady(stream);
  });
  frames.on('error', () => {});
  // Not when the process has ended: what it has told before is read later.
  frames.once('close', () => {
    for (const stream of streams.values()) stream.gone(true);
  });
  readInto(frames, reader);
}
