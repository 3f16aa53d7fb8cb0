import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change } from '../../engines/item-store.js';
import { typeByName } from '../../http/requests/content-type.js';
import { nowSeconds } from '../../lib/clock.js';
import { randomId } from '../../lib/random-id.js';
import type { ProblemCode } from '../../problem-codes.js';
import { badField, type Problem } from '../../request-error.js';
import { discard } from '../contents/garbage.js';
import type { DriveContext } from '../context.js';
import type { FileCondition } from '../files/put-file.js';
import { minPartBytes } from '../limits.js';
import {
  etagOf,
  expiryOf,
  type FileRow,
  fileRow,
  liveFile,
  nameKey,
  type PartRow,
  partKey,
  readFile,
  type UploadRow,
  uploadKey,
  uploadRow,
} from '../rows.js';
import { changeFiles } from '../trash/trash-or-discard.js';
import { contentOf, fileOf } from './file-of-parts.js';
import type { OpenUploads, UploadTarget } from './open-uploads.js';
import type { UploadParts } from './read-parts.js';

/**
 * The result of End: the file is stored, the upload is unknown, or there are problems with its parts or with the
 * condition.
 */
export type EndResult = 'ended' | 'unknown' | { readonly problems: readonly Problem[] };

type Sums = Pick<FileRow, 'md5' | 'checksum'>;

/** The upload to end, and the condition on the file that it replaces. */
export interface EndedUpload {
  readonly uploadId: string;
  readonly condition?: FileCondition | undefined;
  /** The parts that the file is made of, in ascending order; undefined: all, without a gap. */
  readonly parts?: readonly NamedPart[] | undefined;
  /** What is known of the file by its parts. May throw a `RequestError`: then the upload stays open. */
  readonly sums?: ((parts: readonly PartRow[]) => Sums | Promise<Sums>) | undefined;
}

/** A part that a request names, by its MD5 in hexadecimal digits, too. */
export interface NamedPart {
  readonly part: number;
  readonly md5: string;
}

/** This number of parts takes some milliseconds, after which other requests are served. */
const manyParts = 1000;

/** Makes a file of the parts, atomically and without copying their bytes (docs/http.md#end-chunked-upload). */
export async function endUpload(
  context: DriveContext,
  { open, parts }: { readonly open: OpenUploads; readonly parts: UploadParts },
  target: UploadTarget,
  ended: EndedUpload,
): Promise<EndResult> {
  const { items, wakeMaintenance } = context;
  const { space, name } = target;
  for (;;) {
    const seen = open.read(await items.get(space, uploadKey(ended.uploadId)), name);
    if (seen === undefined) return 'unknown';
    const result = await parts.readAll(space, ended.uploadId, (found) =>
      endWith(context, open, target, { ...ended, seen, found }),
    );
    // A part was stored while the others were read, so they are read again.
    if (result === 'changed') continue;
    wakeMaintenance();
    return result;
  }
}

interface ReadUpload extends EndedUpload {
  readonly seen: UploadRow;
  readonly found: ReadonlyMap<number, PartRow>;
}

/** Ends an upload with the parts that were found, unless it has changed since it was seen. */
async function endWith(
  context: DriveContext,
  open: OpenUploads,
  { space, name }: UploadTarget,
  { uploadId, condition, parts, sums, seen, found }: ReadUpload,
): Promise<EndResult | 'changed'> {
  const { clock } = context;
  const contentId = randomId();
  const { chosen, problems } =
    parts === undefined
      ? { chosen: [...found.values()], problems: partProblems(found) }
      : namedParts(found, parts);
  // Of 10,000 parts this takes some 10 ms, which no other change waits for: the parts are the same in the transaction.
  const known = problems.length > 0 ? undefined : await sums?.(chosen);
  if (found.size > manyParts) await nextTurn();
  const content = contentOf(problems.length > 0 ? [] : chosen, contentId);
  const used = new Set(chosen);
  const left = [...found.values()].filter((part) => !used.has(part));
  const partKeys = Array.from(found.keys(), (part) => partKey(uploadId, part));
  // Deleting this many rows takes time, too.
  if (found.size > manyParts) await nextTurn();
  return await changeFiles(
    context,
    { space, keys: [uploadKey(uploadId), nameKey(name)] },
    ([row, named], trashOrDiscard): Change<EndResult | 'changed'> => {
      const upload = open.read(row, name);
      if (upload === undefined) return { result: 'unknown' };
      if (upload.revision !== seen.revision) return { result: 'changed' };
      const before = readFile(named);
      const current = liveFile(named, nowSeconds(clock));
      const unmet = condition?.(current && etagOf(current), current);
      if (unmet !== undefined || problems.length > 0) {
        // This counts as a request, so the upload stays open for another day.
        return {
          puts: [uploadRow(uploadId, { ...upload, expiresAtSeconds: open.until(name) })],
          result: unmet ?? { problems },
        };
      }
      const fileExpiry = {
        expiresAtSeconds: upload.fileExpiresAtSeconds,
        expiresInSeconds: upload.fileExpiresInSeconds,
      };
      const contentType = upload.contentType ?? found.get(1)?.contentType ?? typeByName(name);
      const made = fileOf(content, {
        contentType,
        metadata: upload.metadata,
        headers: upload.headers,
        ...(known ?? upload.sums),
        expiresAtSeconds: expiryOf(fileExpiry, nowSeconds(clock)),
        modifiedMs: clock(),
        uploadId: sums && uploadId,
      });
      const due = context.garbageDue();
      const discarded = [trashOrDiscard(name, before), ...left.map((part) => discard(part, due))];
      return {
        puts: [fileRow(name, made), ...content.puts, ...discarded.flatMap(({ puts }) => puts)],
        deletes: [uploadKey(uploadId), ...partKeys, ...discarded.flatMap(({ deletes }) => deletes)],
        result: 'ended',
      };
    },
  );
}

/** The parts that a request names, as they are now. */
function namedParts(found: ReadonlyMap<number, PartRow>, named: readonly NamedPart[]) {
  const chosen: PartRow[] = [];
  const missing: number[] = [];
  for (const { part, md5 } of named) {
    const row = found.get(part);
    if (row === undefined || row.md5 !== md5) missing.push(part);
    else chosen.push(row);
  }
  const small = named
    .slice(0, -1)
    .filter((_, n) => (chosen[n]?.sizeBytes ?? minPartBytes) < minPartBytes)
    .map(({ part }) => part);
  return { chosen, problems: problemsOf(missing, small, 'they must have been stored, with these MD5s') };
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
  return problemsOf(missing, small, `they must be 1 to ${last} without a gap`);
}

function problemsOf(missing: readonly number[], small: readonly number[], rule: string): Problem[] {
  const atParts = (code: ProblemCode, rule: string) => badField('parts', code, rule).problems;
  return [
    ...(missing.length > 0 ? atParts('parts_missing', `${listed(missing)} missing, ${rule}`) : []),
    ...(small.length > 0
      ? atParts(
          'part_too_small',
          `${listed(small)} smaller than ${minPartBytes} bytes, only the last part may be`,
        )
      : []),
  ];
}

function listed(parts: readonly number[]): string {
  const named = parts.slice(0, maxNamedParts).join(', ');
  return parts.length > maxNamedParts ? `${named} and ${parts.length - maxNamedParts} more` : named;
}
