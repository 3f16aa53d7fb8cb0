import { createHash } from 'node:crypto';
import { StorageUnavailable } from '../storage-errors.js';

/** A body with what the store is to check it by. */
export interface Sent {
  readonly Body: Buffer;
  readonly ContentLength: number;
  readonly ContentMD5: string;
}

export function checked(Body: Buffer): Sent {
  const ContentMD5 = createHash('md5').update(Body).digest('base64');
  return { Body, ContentLength: Body.length, ContentMD5 };
}

/**
 * Whether the store says that it has these bytes: most give their MD5 as the ETag; one that encrypts them gives
 * something else. Throws `StorageUnavailable` when it says that it has others.
 */
export function saysSame(etag: string | undefined, { ContentMD5 }: Sent): boolean {
  const said = etag?.replaceAll('"', '').toLowerCase() ?? '';
  if (!/^[0-9a-f]{32}$/.test(said)) return false;
  if (said === Buffer.from(ContentMD5, 'base64').toString('hex')) return true;
  throw new StorageUnavailable('The S3 store has other bytes than it was sent');
}
