import { createHash } from 'node:crypto';
import { StorageUnavailable } from '../storage-errors.js';

/** A body with its MD5, by which the store checks what it receives. */
export interface CheckedBody {
  readonly Body: Buffer;
  readonly ContentLength: number;
  readonly ContentMD5: string;
}

export function withMd5(Body: Buffer): CheckedBody {
  const ContentMD5 = createHash('md5').update(Body).digest('base64');
  return { Body, ContentLength: Body.length, ContentMD5 };
}

/**
 * Whether the store confirms by its ETag that it has these bytes. Most stores give the MD5; a store that encrypts gives
 * something else. Throws `StorageUnavailable` if the ETag is the MD5 of other bytes.
 */
export function isConfirmedBy(etag: string | undefined, { ContentMD5 }: CheckedBody): boolean {
  const storedMd5 = etag?.replaceAll('"', '').toLowerCase() ?? '';
  if (!/^[0-9a-f]{32}$/.test(storedMd5)) return false;
  if (storedMd5 === Buffer.from(ContentMD5, 'base64').toString('hex')) return true;
  throw new StorageUnavailable('The S3 store has other bytes than it was sent');
}
