import { type Cipher, createCipheriv, createDecipheriv, type Decipher, randomBytes } from 'node:crypto';
import { blockBytes, headerBytes } from './record.js';

/** Where a blob lies in a pack. Its id says so, so nothing needs to be looked up. */
export interface PackedBlob {
  /** The name of the pack: 16 digits of `[0-9a-f]`, random. */
  readonly pack: string;
  /** Where its record begins, in bytes. */
  readonly at: number;
  readonly sizeBytes: number;
}

/**
 * The ids of blobs in packs. Users see ids, as ETags, and must not learn from them how much others store, nor be able to
 * make bytes that look like the header of a record. So an id is one block of AES-128 that says where its blob lies.
 */
export type PackIds = ReturnType<typeof createPackIds>;

const nameBytes = 8;
const sizeAt = nameBytes + 4;
const idBytes = 16;

export function newPackName(): string {
  return randomBytes(nameBytes).toString('hex');
}

export function isPackName(name: string): boolean {
  return /^[\da-f]{16}$/.test(name);
}

/** A key of 32 digits of `[0-9a-f]`. */
export function newPackKey(): string {
  return randomBytes(idBytes).toString('hex');
}

export function isPackKey(name: string): boolean {
  return /^[\da-f]{32}$/.test(name);
}

export function createPackIds(key: string) {
  // Used again for each id: to make one takes more time than all the rest.
  const cipher = withoutPadding(createCipheriv('aes-128-ecb', Buffer.from(key, 'hex'), null));
  const decipher = withoutPadding(createDecipheriv('aes-128-ecb', Buffer.from(key, 'hex'), null));
  return {
    idOf({ pack, at, sizeBytes }: PackedBlob): string {
      const place = Buffer.alloc(idBytes);
      place.write(pack, 'hex');
      place.writeUInt32BE(at / blockBytes, nameBytes);
      place.writeUInt32BE(sizeBytes, sizeAt);
      return cipher.update(place).toString('hex');
    },
    /** What an id says. One of another key, or of a blob in no pack, names a pack that nobody has. */
    blobOf(id: string): PackedBlob {
      const place = decipher.update(Buffer.from(id, 'hex'));
      return {
        pack: place.toString('hex', 0, nameBytes),
        at: place.readUInt32BE(nameBytes) * blockBytes,
        sizeBytes: place.readUInt32BE(sizeAt),
      };
    },
  };
}

/** How many bytes of its pack a blob takes. */
export function recordBytes(sizeBytes: number): number {
  return Math.ceil((headerBytes + sizeBytes) / blockBytes) * blockBytes;
}

function withoutPadding<T extends Cipher | Decipher>(one: T): T {
  one.setAutoPadding(false);
  return one;
}
