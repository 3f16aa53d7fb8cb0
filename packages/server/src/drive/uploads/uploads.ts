import type { Change, Put } from '../../engines/item-store.js';
import { nowSeconds } from '../../lib/clock.js';
import { randomId } from '../../lib/random-id.js';
import { driveSpace, projectOfSpace } from '../../spaces.js';
import { garbageRow } from '../contents/garbage.js';
import type { DriveContext } from '../context.js';
import {
  type FileExpiry,
  type FileHeaders,
  type Metadata,
  readRow,
  type UploadRow,
  uploadKey,
  uploadRow,
} from '../rows.js';
import { type EndedUpload, type EndResult, endUpload } from './end-upload.js';
import {
  listUploads,
  listUploadsByName,
  type NamedUpload,
  type NamedUploadsQuery,
  type UploadsPage,
  type UploadsQuery,
} from './list-uploads.js';
import { createOpenUploads, type LinkedUpload, openLinkedUpload, ownUpload } from './open-uploads.js';
import { type NewPart, putPart } from './put-part.js';
import { createUploadParts, type PartList } from './read-parts.js';
import { createUploadCount } from './upload-count.js';

/**
 * An upload in parts. A part's bytes are stored before its row, and End only changes rows:
 *
 *   Initialize   upload/{id}: name, content type, due after a day
 *       │
 *   Part n       bytes ── up to 16 KiB ──► content/{piece} ─┐
 *       │          └───── more ──────────► blob {piece}     ├─ one transaction: upload/{id} renewed, its revision
 *       │                                  part/{id}/{n} ───┘  counted up; a part sent again becomes garbage
 *       │
 *   End          reads upload/{id} and all part/{id}/…, then one transaction:
 *       │          the revision changed since? read the parts again
 *       │          else  name/{name} ──► content/{file}: the list of the pieces    (one piece: no list)
 *       │                upload/{id} and part/{id}/… deleted; the old file becomes garbage
 *       ▼
 *   or Abort, or a day without a request: upload/{id} becomes garbage/{id}; maintenance deletes the parts' bytes,
 *   the rows part/{id}/… and at last garbage/{id}
 */

/** The properties that the file of an upload will have. */
export interface NewUpload extends FileExpiry {
  readonly contentType?: string | undefined;
  readonly metadata?: Metadata | undefined;
  readonly headers?: FileHeaders | undefined;
  readonly checksum?: UploadRow['checksum'];
  readonly sums?: UploadRow['sums'];
}

/** Asks for at most `limit` parts after one. Of parts, which are large, `use` keeps only what is needed. */
export interface PartsQuery<T> {
  readonly uploadId: string;
  readonly after: number;
  readonly limit: number;
  readonly use: (upload: UploadRow, parts: PartList) => T;
}

/** The operations of docs/http.md#chunked-upload. An upload may be unknown: see docs/http.md#unknown-uploads. */
export interface Uploads {
  /**
   * Opens an upload and gives its id. Throws a 409 `RequestError` if the project has as many open uploads as it may have
   * (docs/http.md#abandoned-uploads), as `openLinked` does.
   */
  initialize(project: string, drive: string, name: string, about?: NewUpload): Promise<string>;
  /**
   * Opens the upload of a link, or gives the one that it has open. The parts of all together have at most its
   * `maxBytes`.
   */
  openLinked(project: string, drive: string, name: string, about: LinkedUpload): Promise<string>;
  /**
   * Stores a part. Gives false if the upload is unknown, or was ended or aborted while the bytes arrived; then they are
   * discarded.
   */
  part(project: string, drive: string, name: string, part: NewPart): Promise<boolean>;
  /** Makes a file of the parts, atomically and without copying their bytes. */
  end(project: string, drive: string, name: string, upload: EndedUpload): Promise<EndResult>;
  /** Reads a page of the open uploads, in the order of their ids (docs/http.md#list-uploads). */
  list(project: string, drive: string, query: UploadsQuery): Promise<UploadsPage>;
  /**
   * The first of the open uploads that the query asks for, in the order of their names, without their ends: it reads all of
   * them and keeps as many.
   */
  listByName(project: string, drive: string, query: NamedUploadsQuery): Promise<readonly NamedUpload[]>;
  /** The upload, or undefined if it is unknown. */
  find(project: string, drive: string, name: string, uploadId: string): Promise<UploadRow | undefined>;
  /** What `use` makes of an upload and some of its parts, in their order; undefined if it is unknown. */
  read<T>(project: string, drive: string, name: string, page: PartsQuery<T>): Promise<T | undefined>;
  /** Gives the parts of an upload in their order, or undefined if the upload is unknown (docs/http.md#get-upload). */
  get(
    project: string,
    drive: string,
    name: string,
    uploadId: string,
  ): Promise<readonly { readonly part: number; readonly sizeBytes: number }[] | undefined>;
  /** Aborts an upload. Gives false if it is unknown. */
  abort(project: string, drive: string, name: string, uploadId: string): Promise<boolean>;
}

/** The operations that the service itself needs, for maintenance and copies. */
export interface UploadsForService extends Uploads {
  /** Adds rows to an open upload and renews it. Gives false if the upload is unknown. */
  addRows(space: string, uploadId: string, name: string, rows: readonly Put[]): Promise<boolean>;
  /** Renews an upload of the service itself until the returned function is called. */
  keepOpen(space: string, uploadId: string): () => void;
  /** Drops an upload that had no request for too long. An upload that had a request in the meantime stays. */
  dropUpload(space: string, uploadId: string): Promise<void>;
}

const renewalsPerTtl = 4;

/** `maxOpen`: so many uploads a project may have open. */
export function createUploads(
  context: DriveContext,
  ttlSeconds: number,
  maxOpen?: number,
): UploadsForService {
  const { items, clock, garbageDue, wakeMaintenance } = context;
  const open = createOpenUploads(context, ttlSeconds);
  const parts = createUploadParts(items);
  const count = createUploadCount(items, maxOpen);

  return {
    async initialize(project, drive, name, about = {}) {
      const id = randomId();
      const put = () => {
        const upload = newUpload(name, about, { openedMs: clock(), expiresAtSeconds: open.until(name) });
        const change = { puts: [uploadRow(id, upload)], result: id };
        return items.transact(driveSpace(project, drive), [], () => change);
      };
      return name === ownUpload ? await put() : await count.open(project, put);
    },

    openLinked: (project, drive, name, linked) =>
      openLinkedUpload(
        context,
        { open, count },
        { project, space: driveSpace(project, drive), name },
        linked,
      ),

    part: (project, drive, name, part) =>
      putPart(context, open, { space: driveSpace(project, drive), name }, part),

    async end(project, drive, name, upload) {
      const target = { space: driveSpace(project, drive), name };
      const result = await endUpload(context, { open, parts }, target, upload);
      if (result === 'ended') count.closed(project);
      return result;
    },

    list: (project, drive, query) => listUploads(context, driveSpace(project, drive), query),

    listByName: (project, drive, query) => listUploadsByName(context, driveSpace(project, drive), query),

    find: async (project, drive, name, uploadId) =>
      open.read(await items.get(driveSpace(project, drive), uploadKey(uploadId)), name),

    async read(project, drive, name, { uploadId, after, limit, use }) {
      const space = driveSpace(project, drive);
      const upload = open.read(await items.get(space, uploadKey(uploadId)), name);
      if (upload === undefined) return undefined;
      return await parts.readPage(space, uploadId, { after, limit, use: (found) => use(upload, found) });
    },

    async get(project, drive, name, uploadId) {
      const space = driveSpace(project, drive);
      const found = await parts.readAll(space, uploadId, (all) =>
        Array.from(all, ([part, { sizeBytes }]) => ({ part, sizeBytes })),
      );
      // The upload is renewed after the parts were read, so the parts are those of an upload that was open until then.
      // Get Upload counts as a request, too.
      if (!(await open.addRows(space, uploadId, name, []))) return undefined;
      return found;
    },

    addRows: open.addRows,

    keepOpen(space, uploadId) {
      const renew = () => open.addRows(space, uploadId, ownUpload, []).catch(() => {});
      const timer = setInterval(renew, (open.ownTtlSeconds * 1000) / renewalsPerTtl).unref();
      return () => clearInterval(timer);
    },

    async abort(project, drive, name, uploadId) {
      const space = driveSpace(project, drive);
      const aborted = await items.transact(space, [uploadKey(uploadId)], ([row]): Change<boolean> => {
        if (open.read(row, name) === undefined) return { result: false };
        return { ...dropped(uploadId, garbageDue()), result: true };
      });
      if (aborted && name !== ownUpload) count.closed(project);
      wakeMaintenance();
      return aborted;
    },

    async dropUpload(space, uploadId) {
      const name = await items.transact(space, [uploadKey(uploadId)], ([row]): Change<string | undefined> => {
        const upload = row && readRow<UploadRow>(row);
        const isOpen = upload === undefined || upload.expiresAtSeconds > nowSeconds(clock);
        return isOpen ? { result: undefined } : { ...dropped(uploadId, garbageDue()), result: upload.name };
      });
      if (name !== undefined && name !== ownUpload) count.closed(projectOfSpace(space));
      wakeMaintenance();
    },
  };
}

/** The row of an upload that begins. `times`: those of the upload, not of its file. */
function newUpload(
  name: string,
  { expiresAtSeconds, expiresInSeconds, ...about }: NewUpload,
  times: Pick<UploadRow, 'openedMs' | 'expiresAtSeconds'>,
): UploadRow {
  return {
    name,
    ...about,
    ...times,
    fileExpiresAtSeconds: expiresAtSeconds,
    fileExpiresInSeconds: expiresInSeconds,
    revision: 0,
  };
}

/** The change that makes garbage of an upload. */
function dropped(uploadId: string, dueSeconds: number) {
  return {
    puts: [garbageRow(uploadId, { layout: 'upload' }, dueSeconds)],
    deletes: [uploadKey(uploadId)],
    makesRoom: true,
  };
}
