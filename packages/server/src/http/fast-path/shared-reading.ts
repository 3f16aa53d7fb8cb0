import { Socket } from 'node:net';
import { pushRead } from '../connections/paced-reading.js';

/** As much as Node reads at once. */
const sharedBytes = 64 * 1024;
/** What the last read of any socket gave. It is overwritten by the next one. */
const shared = Buffer.allocUnsafeSlow(sharedBytes);

/** Ends `readShared`: what is read from now on goes to the stream of the socket. */
export type EndSharedReading = () => void;

/** A connection that reads in another way, and can do the same. */
export interface ReadsDirectly {
  readDirectly(take: (chunk: Buffer) => void): EndSharedReading;
}

/** The memory of other buffers that are overwritten by the next read (`readInto`). */
const overwritten = new WeakSet<ArrayBufferLike>();

type ReadSymbol = 'kBuffer' | 'kBufferCb' | 'kBufferGen';

/** What Node keeps of the option `onread` of a socket. */
type Reading = { readonly [name in ReadSymbol]: symbol };

interface WithHandle {
  readonly _handle?: { useUserBuffer?: (buffer: Buffer) => void } | null;
}

const reading = readingOf(new Socket());

/**
 * Passes what the socket reads to `take`, in a buffer that all sockets share: what is kept of it must be copied
 * (`ownBytes`). Gives undefined if this version of Node works differently; then nothing is changed.
 *
 * Node allocates 64 KiB for every read, and gives back what was not needed. That took a sixth of a get. For this reason it
 * has the option `onread`, but only for sockets that connect: a server has no such option for those that it accepts. So
 * what the option sets is set here. Node has done it in this way since version 12.
 */
export function readShared(socket: Socket, take: (chunk: Buffer) => void): EndSharedReading | undefined {
  let isShared = true;
  const isSet = setOnRead(socket, {
    bytes: shared,
    take(count) {
      const chunk = shared.subarray(0, count);
      // As Node does it without the option: false stops reading until the stream has been read.
      if (!isShared) return pushRead(socket, chunk);
      take(chunk);
      return true;
    },
  });
  if (!isSet) return (socket as Partial<ReadsDirectly>).readDirectly?.(take);
  return () => {
    isShared = false;
  };
}

/** The bytes themselves, or a copy if the next read would overwrite them. */
export function ownBytes(bytes: Buffer): Buffer {
  const isShared = bytes.buffer === shared.buffer || overwritten.has(bytes.buffer);
  return isShared ? Buffer.from(bytes) : bytes;
}

/** A buffer of its own into which a socket reads. */
export interface Reader {
  readonly bytes: Buffer;
  /** The part of it into which the next bytes are read. */
  space(): Buffer;
  /** Called when this many bytes were read there. */
  take(count: number): void;
}

/** Reads all that arrives on the socket into the buffer of the reader, or copies it there (see `readShared`). */
export function readInto(socket: Socket, reader: Reader): void {
  overwritten.add(reader.bytes.buffer);
  const isSet = setOnRead(socket, {
    bytes: reader.bytes,
    space: () => reader.space(),
    take(count) {
      reader.take(count);
      return true;
    },
  });
  if (!isSet) socket.on('data', (chunk) => copyInto(reader, chunk));
}

/** What Node's option `onread` has. */
interface OnRead {
  readonly bytes: Buffer;
  /** Gives the part of `bytes` for the next read; absent: all of it. */
  readonly space?: () => Buffer;
  /** Called when this many bytes were read. Returns whether to go on reading. */
  readonly take: (count: number) => boolean;
}

/**
 * Sets the option `onread` of a socket, and lets it read. Returns false, and changes nothing, if this version of Node works
 * differently or the socket has the option.
 */
function setOnRead(socket: Socket, { bytes, space, take }: OnRead): boolean {
  const { _handle: handle } = socket as WithHandle;
  const fields = socket as unknown as Record<symbol, unknown>;
  if (reading === undefined || typeof handle?.useUserBuffer !== 'function') return false;
  if (fields[reading.kBuffer] !== null) return false;
  fields[reading.kBuffer] = bytes;
  if (space !== undefined) fields[reading.kBufferGen] = space;
  fields[reading.kBufferCb] = take;
  handle.useUserBuffer(bytes);
  // Without a listener for `data`, a stream does not flow by itself, and would not tell its end.
  socket.resume();
  return true;
}

function copyInto(reader: Reader, chunk: Buffer): void {
  for (let at = 0; at < chunk.length; ) {
    const count = chunk.copy(reader.space(), 0, at);
    at += count;
    reader.take(count);
  }
}

/** Undefined if this version of Node has no such fields. */
function readingOf(socket: Socket): Reading | undefined {
  const symbolOf = (name: ReadSymbol) =>
    Object.getOwnPropertySymbols(socket).find(({ description }) => description === name);
  const [kBuffer, kBufferCb, kBufferGen] = [
    symbolOf('kBuffer'),
    symbolOf('kBufferCb'),
    symbolOf('kBufferGen'),
  ];
  if (kBuffer === undefined || kBufferCb === undefined || kBufferGen === undefined) return undefined;
  return { kBuffer, kBufferCb, kBufferGen };
}
