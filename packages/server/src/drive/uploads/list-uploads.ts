import { nowSeconds } from '../../lib/clock.js';
import { compareUtf8 } from '../../lib/text/utf8-order.js';
import type { DriveContext } from '../context.js';
import { readRow, type UploadRow, uploadKey } from '../rows.js';
import { ownUpload } from './open-uploads.js';

export interface UploadsQuery {
  /** Only uploads of files whose names begin with this text; empty for all. */
  readonly within: string;
  /** Only uploads after this id; empty to begin with the first upload. */
  readonly last: string;
  /** The maximum number of uploads, 1 or more. */
  readonly limit: number;
}

export interface UploadsPage {
  readonly uploads: readonly { readonly uploadId: string; readonly name: string }[];
  /** Whether more uploads follow. */
  readonly more: boolean;
}

/** A page of uploads in the order of their names, and of their ids for one name. */
export interface NamedUploadsQuery {
  readonly prefix: string;
  readonly within: string;
  /** Only uploads after this name, or after this id of this name; empty to begin with the first. */
  readonly after: string;
  readonly afterId: string;
  /** The maximum number of uploads, 0 or more. */
  readonly limit: number;
}

export interface NamedUpload {
  readonly uploadId: string;
  readonly name: string;
  readonly openedMs: number;
}

export async function listUploads(
  context: DriveContext,
  space: string,
  { within, last, limit }: UploadsQuery,
): Promise<UploadsPage> {
  const uploads: UploadsPage['uploads'][number][] = [];
  for await (const batch of openUploads(context, space, last)) {
    for (const { uploadId, name } of batch) {
      if (!name.startsWith(within)) continue;
      if (uploads.length === limit) return { uploads, more: true };
      uploads.push({ uploadId, name });
    }
  }
  return { uploads, more: false };
}

/** In the order of names, then of ids. All uploads are read: their rows are in the order of ids. */
export async function listUploadsByName(
  context: DriveContext,
  space: string,
  query: NamedUploadsQuery,
): Promise<readonly NamedUpload[]> {
  const { prefix, within, limit } = query;
  let first: NamedUpload[] = [];
  for await (const batch of openUploads(context, space)) {
    for (const upload of batch) {
      const { name } = upload;
      if (name.startsWith(prefix) && name.startsWith(within) && isAfter(upload, query)) first.push(upload);
    }
    if (first.length > 2 * limit) first = first.sort(byName).slice(0, limit);
  }
  return first.sort(byName).slice(0, limit);
}

/** Those after an id, without those of the service itself. */
async function* openUploads(
  { items, clock }: DriveContext,
  space: string,
  last = '',
): AsyncGenerator<readonly NamedUpload[]> {
  const prefix = uploadKey('');
  const range = last === '' ? { prefix } : { prefix, gt: uploadKey(last) };
  for await (const batch of items.scan(space, range)) {
    yield batch.flatMap(({ key, value }) => {
      const { name, expiresAtSeconds, openedMs = 0 } = readRow<UploadRow>(value);
      const isListed = name !== ownUpload && expiresAtSeconds > nowSeconds(clock);
      return isListed ? [{ uploadId: key.slice(prefix.length), name, openedMs }] : [];
    });
  }
}

function byName(a: NamedUpload, b: NamedUpload): number {
  return compareUtf8(a.name, b.name) || compareUtf8(a.uploadId, b.uploadId);
}

function isAfter({ name, uploadId }: NamedUpload, { after, afterId }: NamedUploadsQuery): boolean {
  const order = after === '' ? 1 : compareUtf8(name, after);
  return order > 0 || (order === 0 && afterId !== '' && compareUtf8(uploadId, afterId) > 0);
}
