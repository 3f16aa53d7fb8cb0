import type { Change, Put } from '../../engines/item-store.js';
import { nowSeconds } from '../../lib/clock.js';
import { randomId } from '../../lib/random-id.js';
import type { DriveContext } from '../context.js';
import {
  jsonRow,
  type LinkedRow,
  linkedKey,
  readRow,
  type UploadRow,
  uploadKey,
  uploadRow,
} from '../rows.js';
import type { UploadCount } from './upload-count.js';

/** The name of the uploads that the service itself opens. It is no valid name, so no caller can use it. */
export const ownUpload = '';
/**
 * The service renews its own uploads while it works. So one that was not renewed for some minutes is left from a process
 * that was killed, and nobody can list or abort it.
 */
const ownTtlSeconds = 2 * 60;
/** With shared rows another server may drop it, whose clock may be ahead. */
const sharedOwnTtlSeconds = 2 * 60 * 60;

/** The drive and the file that an upload is for. */
export interface UploadTarget {
  readonly space: string;
  readonly name: string;
}

/** The uploads that are open: they had a request lately. */
export interface OpenUploads {
  /** The upload of this row, if it is open and makes a file of this name. */
  read(row: Buffer | undefined, name: string): UploadRow | undefined;
  /** Until when an upload for a file of this name stays open from now on, in whole seconds since 1970 UTC. */
  until(name: string): number;
  /** The same upload after a request that changed its parts. */
  renewed(upload: UploadRow): UploadRow;
  /** Adds rows to an open upload and renews it. Gives false if the upload is unknown. */
  addRows(space: string, uploadId: string, name: string, rows: readonly Put[]): Promise<boolean>;
  readonly ownTtlSeconds: number;
}

/** `ttlSeconds`: the time after its last request at which an upload is dropped, unless it is one of the service itself. */
export function createOpenUploads({ items, clock }: DriveContext, ttlSeconds: number): OpenUploads {
  const ownTtl = items.isShared ? sharedOwnTtlSeconds : ownTtlSeconds;
  const until = (name: string) => nowSeconds(clock) + (name === ownUpload ? ownTtl : ttlSeconds);

  function read(row: Buffer | undefined, name: string): UploadRow | undefined {
    if (row === undefined) return undefined;
    const upload = readRow<UploadRow>(row);
    return upload.name === name && upload.expiresAtSeconds > nowSeconds(clock) ? upload : undefined;
  }

  function renewed(upload: UploadRow): UploadRow {
    return { ...upload, expiresAtSeconds: until(upload.name), revision: upload.revision + 1 };
  }

  async function addRows(space: string, uploadId: string, name: string, rows: readonly Put[]) {
    return await items.transact(space, [uploadKey(uploadId)], ([row]): Change<boolean> => {
      const upload = read(row, name);
      if (upload === undefined) return { result: false };
      return { puts: [uploadRow(uploadId, renewed(upload)), ...rows], result: true };
    });
  }

  return { read, until, renewed, addRows, ownTtlSeconds: ownTtl };
}

/** The upload of a link. */
export interface LinkedUpload {
  /** Stands for the link: of no two are they equal. */
  readonly link: string;
  readonly contentType: string;
  readonly maxBytes: number;
  /** The second from which on the link is not valid, since 1970 UTC. */
  readonly endsAtSeconds: number;
}

/**
 * Opens the upload of a link, unless it is open already. Gives its id. `count` bounds what is opened: it may throw instead of
 * running it.
 */
export async function openLinkedUpload(
  { items, clock }: DriveContext,
  { open, count }: { readonly open: OpenUploads; readonly count: UploadCount },
  { project, space, name }: UploadTarget & { readonly project: string },
  { link, contentType, maxBytes, endsAtSeconds }: LinkedUpload,
): Promise<string> {
  const key = linkedKey(link);
  for (;;) {
    const before = await items.get(space, key);
    const known = before && readRow<LinkedRow>(before).uploadId;
    if (known !== undefined && open.read(await items.get(space, uploadKey(known)), name)) return known;
    const decide = ([row, found]: readonly (Buffer | undefined)[]): Change<string | undefined> => {
      if ((row && readRow<LinkedRow>(row).uploadId) !== known) return { result: undefined };
      if (open.read(found, name) !== undefined) return { result: known };
      const id = randomId();
      const times = { openedMs: clock(), expiresAtSeconds: open.until(name) };
      const upload = { name, contentType, ...times, link, maxBytes, partBytes: 0, revision: 0 };
      const linked: LinkedRow = { uploadId: id, endsAtSeconds };
      const due = { ...jsonRow(key, linked), dueSeconds: endsAtSeconds };
      return { puts: [uploadRow(id, upload), due], result: id };
    };
    const opened = await count.open(
      project,
      () => items.transact(space, [key, uploadKey(known ?? '')], decide),
      (id) => id !== undefined && id !== known,
    );
    if (opened !== undefined) return opened;
  }
}
