/**
 * What a front and the owner of the store tell each other about connections. A frame has a head of nine bytes: its kind,
 * the number of the connection, and a size. The bytes of `data` and `open` follow their head; the size of the others is
 * all that they say.
 */
export const frameKinds = {
  /** Front: somebody has connected. Its bytes are the port (two) and the address of the client. */
  open: 1,
  /** Front: its TLS handshake is finished. */
  secured: 2,
  /** Bytes of the client, or for it. */
  data: 3,
  /** Whoever sends this has passed this many bytes of `data` on: as many more may come. */
  taken: 4,
  /** No more `data` comes from this side. */
  end: 5,
  /** Front: all that the owner has sent until its `end` was given to the system. */
  ended: 6,
  /** The connection is closed. From a front, the size is 1 after an error. The front first sends what it still has. */
  close: 7,
  /** Like `data`, and more of the same write follows at once: the front gives both to the system together. */
  part: 8,
} as const;

export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

export const headBytes = 9;
/** The most bytes of one frame. */
export const maxFrameBytes = 64 * 1024;
/** What is read at once: always more than a frame. The socket of the system holds about 200 KB. */
const readBytes = 256 * 1024;

/** `bytes` lie in the buffer of the reader and are overwritten by the next read: a copy must be kept of them. */
export type OnFrame = (kind: number, connection: number, size: number, bytes: Buffer) => void;

const nothing = Buffer.alloc(0);

/** Finds the frames in what was read. A frame that is not complete moves to the beginning of the buffer. */
export class FrameReader {
  readonly bytes = Buffer.allocUnsafeSlow(readBytes);
  private filled = 0;

  constructor(private readonly onFrame: OnFrame) {}

  /** Where the next bytes are to be put. */
  space(): Buffer {
    return this.bytes.subarray(this.filled);
  }

  /** This many bytes were put there. */
  take(count: number): void {
    const { bytes, onFrame } = this;
    const end = this.filled + count;
    let at = 0;
    while (end - at >= headBytes) {
      const kind = bytes[at]!;
      const size = bytes.readUInt32LE(at + 5);
      const start = at + headBytes;
      const hasBytes = kind === frameKinds.data || kind === frameKinds.part || kind === frameKinds.open;
      if (hasBytes && end - start < size) break;
      const connection = bytes.readUInt32LE(at + 1);
      at = hasBytes ? start + size : start;
      onFrame(kind, connection, size, hasBytes ? bytes.subarray(start, at) : nothing);
    }
    bytes.copyWithin(0, at, end);
    this.filled = end - at;
  }
}

/** Writes the head of a frame, and gives where its bytes begin. */
export function writeHead(
  to: Buffer,
  at: number,
  frame: { kind: FrameKind; connection: number; size: number },
): number {
  to[at] = frame.kind;
  to.writeUInt32LE(frame.connection, at + 1);
  to.writeUInt32LE(frame.size, at + 5);
  return at + headBytes;
}
