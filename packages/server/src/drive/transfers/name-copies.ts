import type { Change, Put } from '../../engines/item-store.js';
import { nowSeconds } from '../../lib/clock.js';
import { randomId } from '../../lib/random-id.js';
import { fileRow, isFileExpired, nameKey, partKey, uploadKey } from '../rows.js';
import { changeFiles } from '../trash/trash-or-discard.js';
import { contentOf, fileOf, keptByCopies } from '../uploads/file-of-parts.js';
import { type Copied, type CopyRun, dropped, type Source } from './copy-run.js';
import { filesOf, freeOf, missingFrom } from './move-files.js';

/** Gives the copies their names in one transaction. */
export async function nameCopies(run: CopyRun, { sources, uploadId, rows }: Copied): Promise<void> {
  const {
    clock,
    space,
    body: { files, overwrite },
  } = run;
  const names = files.map(({ to }) => to);
  const partCount = sources.reduce((sum, { pieces }) => sum + pieces.length, 0);
  const keys = [...(uploadId === undefined ? [] : [uploadKey(uploadId)]), ...names.map(nameKey)];
  await changeFiles(run, { space, keys }, (read, trashOrDiscard): Change<undefined> => {
    if (uploadId !== undefined && read[0] === undefined) throw dropped();
    const found = filesOf(names, uploadId === undefined ? read : read.slice(1));
    const unwritten = new Map(rows.map((row) => [row.key, row]));
    const deletes: string[] = uploadId === undefined ? [] : [uploadKey(uploadId)];
    for (let part = 1; uploadId !== undefined && part <= partCount; part++) {
      // A part's row that is not written yet is no longer needed.
      if (!unwritten.delete(partKey(uploadId, part))) deletes.push(partKey(uploadId, part));
    }
    const puts: Put[] = [...unwritten.values()];
    const now = nowSeconds(clock);
    for (const [index, to] of names.entries()) {
      const replaced = trashOrDiscard(to, freeOf(found, { index, to, overwrite, now }));
      const { file, copied } = sources[index] as Source;
      if (isFileExpired(file, now)) throw missingFrom(index);
      const content = contentOf(copied, randomId());
      const made = fileOf(content, { ...keptByCopies(file), modifiedMs: clock() });
      puts.push(fileRow(to, made), ...content.puts, ...replaced.puts);
      deletes.push(...replaced.deletes);
    }
    return { puts, deletes, result: undefined };
  });
}
