import { randomBytes } from 'node:crypto';

const idBytes = 16;
const idsAtOnce = 256;
const form = /^[0-9a-f]{32}$/;

/** Random bytes for many ids are requested at a time: the system call costs more than all other work for an id. */
let pool = Buffer.alloc(0);
let used = 0;

/** A new id: 128 random bits as 32 digits of `[0-9a-f]`, fit for a file name, an S3 key and a row key. */
export function randomId(): string {
  if (used === pool.length) {
    pool = randomBytes(idsAtOnce * idBytes);
    used = 0;
  }
  used += idBytes;
  return pool.toString('hex', used - idBytes, used);
}

/** Whether `randomId()` could have made it: text from outside is checked before it becomes part of a key. */
export function isRandomId(text: string): boolean {
  return form.test(text);
}
