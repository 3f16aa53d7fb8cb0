import { client } from '../../api/session.js';
import { maxFiles } from '../names/chosen-names.js';

/** Files that are looked at beyond those that are wanted: others may have been deleted since. */
const lookedBeyond = 10_000;

/** Gives files their names back that were just deleted. Gives how many: others have left the trash, or come later. */
export async function restoreDeleted(drive: string, names: readonly string[]): Promise<number> {
  if (names.length === 0) return 0;
  const wanted = new Set(names);
  const found: { readonly id: string }[] = [];
  let looked = 0;
  // What was deleted last comes first, so the first of a name is its last version.
  for await (const { id, name } of client().Drive(drive).trash()) {
    if (wanted.delete(name)) found.push({ id });
    if (wanted.size === 0 || ++looked > names.length + lookedBeyond) break;
  }
  for (let at = 0; at < found.length; at += maxFiles)
    await client()
      .Drive(drive)
      .restore(found.slice(at, at + maxFiles));
  return found.length;
}
