import type { Change } from '../../engines/item-store.js';
import type { WriteCondition } from '../../http/answers/conditional.js';
import { typeByName } from '../../http/requests/content-type.js';
import { nowSeconds } from '../../lib/clock.js';
import { randomId } from '../../lib/random-id.js';
import type { Problem } from '../../request-error.js';
import type { DriveContext } from '../context.js';
import { minPartBytes } from '../limits.js';
import {
  etagOf,
  expiryOf,
  fileRow,
  liveFile,
  nameKey,
  type PartRow,
  partKey,
  readFile,
  uploadKey,
  uploadRow,
} from '../rows.js';
import { changeFiles } from '../trash/set-aside.js';
import { fileOf } from './file-of-parts.js';
import { type OpenUploads, readParts, type UploadTarget } from './open-uploads.js';

/**
 * The result of End: the file is stored, the upload is unknown, or there are problems with its parts or with the
 * condition.
 */
export type EndResult = 'ended' | 'unknown' | { readonly problems: readonly Problem[] };

/** The upload to end, and the condition on the file that it replaces. */
export interface EndedUpload {
  readonly uploadId: string;
  readonly condition?: WriteCondition | undefined;
}

/** Makes a file of the parts, atomically and without copying their bytes (docs/http.md#end-chunked-upload). */
export async function endUpload(
  context: DriveContext,
  open: OpenUploads,
  { space, name }: UploadTarget,
  { uploadId, condition }: EndedUpload,
): Promise<EndResult> {
  const { items, clock, wakeMaintenance } = context;
  const contentId = randomId();
  for (;;) {
    const seen = open.read(await items.get(space, uploadKey(uploadId)), name);
    if (seen === undefined) return 'unknown';
    const found = await readParts(items, space, uploadId);
    const problems = partProblems(found);
    const result = await changeFiles(
      context,
      space,
      [uploadKey(uploadId), nameKey(name)],
      ([row, named], setAside): Change<EndResult | 'changed'> => {
        const upload = open.read(row, name);
        if (upload === undefined) return { result: 'unknown' };
        if (upload.revision !== seen.revision) return { result: 'changed' };
        const before = readFile(named);
        const current = liveFile(named, nowSeconds(clock));
        const unmet = condition?.(current && etagOf(current));
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
        const made = fileOf([...found.values()], contentId, {
          contentType,
          metadata: upload.metadata,
          expiresAtSeconds: expiryOf(fileExpiry, nowSeconds(clock)),
          modifiedMs: clock(),
        });
        const replaced = setAside(name, before);
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
