import { randomBytes } from 'node:crypto';

const idBytes = 16;
const form = /^[0-9a-f]{32}$/;

/** A new id: 128 random bits as 32 digits of `[0-9a-f]`, fit for a file name, an S3 key and a row key. */
export function newBlobId(): string {
  return randomBytes(idBytes).toString('hex');
}

/** Whether `newBlobId()` could have made it: what came from outside is looked at before it becomes a key. */
export function isBlobId(text: string): boolean {
  return form.test(text);
}
