import type { Change, Put } from '../../engines/item-store.js';
import type { Store } from '../../engines/store.js';
import type { WriteCondition } from '../../http/answers/conditional.js';
import { typeByName } from '../../http/requests/content-type.js';
import { type Clock, nowSeconds } from '../../lib/clock.js';
import { randomId } from '../../lib/random-id.js';
import type { Problem } from '../../request-error.js';
import { driveSpace } from '../../spaces.js';
import { discard, garbageRow } from '../contents/garbage.js';
import { deleteUnnamed, rowPiece, type Source, storePiece } from '../contents/piece.js';
import { minPartBytes } from '../limits.js';
import {
  contentKey,
  etagOf,
  expiryOf,
  type FileExpiry,
  type FileRow,
  fileRow,
  jsonRow,
  liveFile,
  nameKey,
  type PartRow,
  type Piece,
  partKey,
  partOfKey,
  partsPrefix,
  readFile,
  readRow,
  type UploadRow,
  uploadKey,
  uploadRow,
} from '../rows.js';

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

/** A part as a request sends it. */
export interface NewPart {
  readonly uploadId: string;
  /** 1 to 10,000. */
  readonly part: number;
  readonly source: Source;
  /** The part's own Content-Type. */
  readonly contentType: string | undefined;
}

/**
 * The result of End: the file is stored, the upload is unknown, or there are problems with its parts or with the
 * condition.
 */
export type EndResult = 'ended' | 'unknown' | { readonly problems: readonly Problem[] };

/** The properties that the file of an upload will have. */
export interface NewUpload extends FileExpiry {
  readonly contentType?: string | undefined;
}

/** The upload to end, and the condition on the file that it replaces. */
export interface EndedUpload {
  readonly uploadId: string;
  readonly condition?: WriteCondition | undefined;
}

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

export interface StoredPart {
  readonly part: number;
  readonly sizeBytes: number;
}

/** The operations of docs/http.md#chunked-upload. An upload may be unknown: see docs/http.md#unknown-uploads. */
export interface Uploads {
  /** Opens an upload and gives its id. */
  initialize(project: string, drive: string, name: string, about?: NewUpload): Promise<string>;
  isOpen(project: string, drive: string, name: string, uploadId: string): Promise<boolean>;
  /**
   * Stores a part. Gives false if the upload is unknown, or was ended or aborted while the bytes arrived; then they are
   * discarded.
   */
  part(project: string, drive: string, name: string, part: NewPart): Promise<boolean>;
  /** Makes a file of the parts, atomically and without copying their bytes. */
  end(project: string, drive: string, name: string, upload: EndedUpload): Promise<EndResult>;
  /** Reads a page of the open uploads, in the order of their ids (docs/http.md#list-uploads). */
  list(project: string, drive: string, query: UploadsQuery): Promise<UploadsPage>;
  /** Gives the parts of an upload in their order, or undefined if the upload is unknown (docs/http.md#get-upload). */
  get(
    project: string,
    drive: string,
    name: string,
    uploadId: string,
  ): Promise<readonly StoredPart[] | undefined>;
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

export interface UploadsDependencies extends Store {
  readonly clock: Clock;
  /** The maximum size of parts that are stored in a row. */
  readonly inlineFileBytes: number;
  /** The time after its last request at which an upload is dropped, unless it is one of the service itself. */
  readonly uploadTtlSeconds: number;
  /**
   * Gives the time from which bytes may be deleted that lose their name now, in whole seconds since 1970 UTC. It holds
   * for parts too, although no download reads them: a copy of the rows that was made a moment ago may name them
   * (docs/operations.md#backup-of-rows-in-postgresql).
   */
  readonly garbageDue: () => number;
  /** Called after something became garbage. */
  readonly wakeMaintenance: () => void;
}

/** The name of the uploads that the service itself opens. It is no valid name, so no caller can use it. */
export const ownUpload = '';
/**
 * The service renews its own uploads while it works. So one that was not renewed for some minutes is left from a process
 * that was killed, and nobody can list or abort it.
 */
const ownTtlSeconds = 2 * 60;
/** With shared rows another server may drop it, whose clock may be ahead. */
const sharedOwnTtlSeconds = 2 * 60 * 60;
const renewalsPerTtl = 4;

export function createUploads(dependencies: UploadsDependencies): UploadsForService {
  const { items, blobs, clock, inlineFileBytes, uploadTtlSeconds, garbageDue, wakeMaintenance } =
    dependencies;
  const ownTtl = items.isShared ? sharedOwnTtlSeconds : ownTtlSeconds;
  const openUntil = (name: string) => nowSeconds(clock) + (name === ownUpload ? ownTtl : uploadTtlSeconds);

  function openUpload(row: Buffer | undefined, name: string): UploadRow | undefined {
    if (row === undefined) return undefined;
    const upload = readRow<UploadRow>(row);
    return upload.name === name && upload.expiresAtSeconds > nowSeconds(clock) ? upload : undefined;
  }

  async function readParts(space: string, uploadId: string): Promise<Map<number, PartRow>> {
    const found = new Map<number, PartRow>();
    for await (const batch of items.scan(space, { prefix: partsPrefix(uploadId) })) {
      for (const { key, value } of batch) found.set(partOfKey(key), readRow<PartRow>(value));
    }
    return found;
  }

  async function addRows(space: string, uploadId: string, name: string, rows: readonly Put[]) {
    return await items.transact(space, [uploadKey(uploadId)], ([row]): Change<boolean> => {
      const upload = openUpload(row, name);
      if (upload === undefined) return { result: false };
      const renewed = { ...upload, expiresAtSeconds: openUntil(name), revision: upload.revision + 1 };
      return { puts: [uploadRow(uploadId, renewed), ...rows], result: true };
    });
  }

  return {
    async initialize(project, drive, name, { contentType, expiresAtSeconds, expiresInSeconds } = {}) {
      const space = driveSpace(project, drive);
      const id = randomId();
      const upload: UploadRow = {
        name,
        contentType,
        fileExpiresAtSeconds: expiresAtSeconds,
        fileExpiresInSeconds: expiresInSeconds,
        expiresAtSeconds: openUntil(name),
        revision: 0,
      };
      await items.transact(space, [], () => ({ puts: [uploadRow(id, upload)], result: undefined }));
      return id;
    },

    async isOpen(project, drive, name, uploadId) {
      const row = await items.get(driveSpace(project, drive), uploadKey(uploadId));
      return openUpload(row, name) !== undefined;
    },

    async part(project, drive, name, { uploadId, part, source, contentType }) {
      const space = driveSpace(project, drive);
      const { piece, puts } = await storePiece({ items, blobs }, source, inlineFileBytes);
      const key = partKey(uploadId, part);
      const row: PartRow = { ...piece, contentType };
      type Outcome = 'unknown' | 'added' | 'replaced';
      const adding = items.transact(space, [uploadKey(uploadId), key], (rows): Change<Outcome> => {
        const [found, before] = rows;
        const upload = openUpload(found, name);
        if (upload === undefined) return { result: 'unknown' };
        const renewed = { ...upload, expiresAtSeconds: openUntil(name), revision: upload.revision + 1 };
        const replaced = discard(before && readRow<PartRow>(before), garbageDue());
        return {
          puts: [uploadRow(uploadId, renewed), jsonRow(key, row), ...puts, ...replaced.puts],
          deletes: replaced.deletes,
          result: before === undefined ? 'added' : 'replaced',
        };
      });
      const outcome = await adding.catch(async (cause) => {
        await deleteUnnamed(blobs, piece, cause);
        throw cause;
      });
      if (outcome === 'unknown' && piece.layout === 'blob') await blobs.delete([piece.id]);
      if (outcome === 'replaced') wakeMaintenance();
      return outcome !== 'unknown';
    },

    async end(project, drive, name, { uploadId, condition }) {
      const space = driveSpace(project, drive);
      const contentId = randomId();
      for (;;) {
        const seen = openUpload(await items.get(space, uploadKey(uploadId)), name);
        if (seen === undefined) return 'unknown';
        const found = await readParts(space, uploadId);
        const problems = partProblems(found);
        const result = await items.transact(
          space,
          [uploadKey(uploadId), nameKey(name)],
          ([row, named]): Change<EndResult | 'changed'> => {
            const upload = openUpload(row, name);
            if (upload === undefined) return { result: 'unknown' };
            if (upload.revision !== seen.revision) return { result: 'changed' };
            const before = readFile(named);
            const current = liveFile(named, nowSeconds(clock));
            const unmet = condition?.(current && etagOf(current));
            if (unmet !== undefined || problems.length > 0) {
              // This counts as a request, so the upload stays open for another day.
              return {
                puts: [uploadRow(uploadId, { ...upload, expiresAtSeconds: openUntil(name) })],
                result: unmet ?? { problems },
              };
            }
            const fileExpiry = {
              expiresAtSeconds: upload.fileExpiresAtSeconds,
              expiresInSeconds: upload.fileExpiresInSeconds,
            };
            const contentType = upload.contentType ?? found.get(1)?.contentType ?? typeByName(name);
            const made = fileOf([...found.values()], contentId, {
              contentType,
              expiresAtSeconds: expiryOf(fileExpiry, nowSeconds(clock)),
              modifiedMs: clock(),
            });
            const replaced = discard(before, garbageDue());
            return {
              puts: [fileRow(name, made.file), ...made.puts, ...replaced.puts],
              deletes: [
                uploadKey(uploadId),
                ...Array.from(found.keys(), (part) => partKey(uploadId, part)),
                ...replaced.deletes,
              ],
              result: 'ended',
            };
          },
        );
        // A part was stored while the others were read, so they are read again.
        if (result === 'changed') continue;
        wakeMaintenance();
        return result;
      }
    },

    async list(project, drive, { within, last, limit }) {
      const uploads: { readonly uploadId: string; readonly name: string }[] = [];
      const prefix = uploadKey('');
      const range = last === '' ? { prefix } : { prefix, gt: uploadKey(last) };
      for await (const batch of items.scan(driveSpace(project, drive), range)) {
        for (const { key, value } of batch) {
          const { name, expiresAtSeconds } = readRow<UploadRow>(value);
          if (name === ownUpload || expiresAtSeconds <= nowSeconds(clock)) continue;
          if (!name.startsWith(within)) continue;
          if (uploads.length === limit) return { uploads, more: true };
          uploads.push({ uploadId: key.slice(prefix.length), name });
        }
      }
      return { uploads, more: false };
    },

    async get(project, drive, name, uploadId) {
      const space = driveSpace(project, drive);
      const found = await readParts(space, uploadId);
      // The upload is renewed after the parts were read, so the parts are those of an upload that was open until then.
      // Get Upload counts as a request, too.
      if (!(await addRows(space, uploadId, name, []))) return undefined;
      return Array.from(found, ([part, { sizeBytes }]) => ({ part, sizeBytes }));
    },

    addRows,

    keepOpen(space, uploadId) {
      const renew = () => addRows(space, uploadId, ownUpload, []).catch(() => {});
      const timer = setInterval(renew, (ownTtl * 1000) / renewalsPerTtl).unref();
      return () => clearInterval(timer);
    },

    async abort(project, drive, name, uploadId) {
      const space = driveSpace(project, drive);
      const aborted = await items.transact(space, [uploadKey(uploadId)], ([row]): Change<boolean> => {
        if (openUpload(row, name) === undefined) return { result: false };
        return { ...dropped(uploadId), result: true };
      });
      wakeMaintenance();
      return aborted;
    },

    async dropUpload(space, uploadId) {
      await items.transact(space, [uploadKey(uploadId)], ([row]): Change<undefined> => {
        const open = row === undefined || readRow<UploadRow>(row).expiresAtSeconds > nowSeconds(clock);
        return open ? { result: undefined } : { ...dropped(uploadId), result: undefined };
      });
      wakeMaintenance();
    },
  };

  function dropped(uploadId: string) {
    return {
      puts: [garbageRow(uploadId, { layout: 'upload' }, garbageDue())],
      deletes: [uploadKey(uploadId)],
      makesRoom: true,
    };
  }
}

const maxNamedParts = 20;

/**
 * Gives the problems that prevent the parts from becoming a file (docs/http.md#end-chunked-upload). The list is empty
 * if there are none.
 */
function partProblems(found: ReadonlyMap<number, PartRow>): Problem[] {
  const last = Math.max(0, ...found.keys());
  const missing: number[] = [];
  const small: number[] = [];
  for (let part = 1; part <= last; part++) {
    const row = found.get(part);
    if (row === undefined) missing.push(part);
    else if (part < last && row.sizeBytes < minPartBytes) small.push(part);
  }
  const problems: Problem[] = [];
  if (missing.length > 0)
    problems.push({
      code: 'parts_missing',
      path: 'parts',
      message: `parts: ${listed(missing)} missing, they must be 1 to ${last} without a gap`,
    });
  if (small.length > 0) {
    problems.push({
      code: 'part_too_small',
      path: 'parts',
      message: `parts: ${listed(small)} smaller than ${minPartBytes} bytes, only the last part may be`,
    });
  }
  return problems;
}

function listed(parts: readonly number[]): string {
  const named = parts.slice(0, maxNamedParts).join(', ');
  return parts.length > maxNamedParts ? `${named} and ${parts.length - maxNamedParts} more` : named;
}

/**
 * Makes a file of its pieces, and gives the rows that it needs in addition to its own. A single piece is the content itself.
 * Several pieces need a list. A file without pieces is empty.
 */
export function fileOf(
  parts: readonly Piece[],
  contentId: string,
  about: Pick<FileRow, 'contentType' | 'modifiedMs' | 'expiresAtSeconds'>,
) {
  const pieces = parts.map(({ id, layout, sizeBytes, crc32, chunkCrc32s }): Piece => {
    return { id, layout, sizeBytes, crc32, chunkCrc32s };
  });
  const [first] = pieces;
  if (first === undefined) {
    const { piece, puts } = rowPiece(Buffer.alloc(0));
    return { file: { ...piece, ...about } satisfies FileRow, puts };
  }
  if (pieces.length === 1) return { file: { ...first, ...about } satisfies FileRow, puts: [] };
  const sizeBytes = pieces.reduce((sum, piece) => sum + piece.sizeBytes, 0);
  const file: FileRow = { id: contentId, layout: 'parts', sizeBytes, ...about };
  return { file, puts: [jsonRow(contentKey(contentId), pieces)] };
}
