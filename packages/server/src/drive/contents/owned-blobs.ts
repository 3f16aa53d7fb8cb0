import type { ItemStore } from '../../engines/item-store.js';
import {
  anyFile,
  anyGarbage,
  anyPart,
  anyRestored,
  anyTrash,
  driveSpaces,
  garbageContent,
  holdersOf,
  namedContent,
  restoredContent,
} from './row-contents.js';

/**
 * Gives the ids of all blobs that rows of drives name, some more than once. Content moves in one direction only. A part
 * becomes a file (End) or garbage (sent again, aborted); a file becomes trash or garbage (overwritten, deleted), and trash
 * becomes garbage; garbage is deleted. A file that comes back from the trash leaves a row behind (`RestoredRow`), as if its
 * content were still there. The rows are read in this order, so a content that moves in the meantime is found in its old or its new
 * place. Therefore every blob that a row names from the start of the call to its end is included. The parts of an
 * upload that is garbage still have their rows. Throws `RowUnreadable`. A caller that deletes the blobs without a name
 * must then delete nothing.
 */
export async function* ownedBlobs(items: ItemStore): AsyncGenerator<string> {
  for await (const space of items.spaces(driveSpaces)) {
    for (const prefix of [anyPart, anyFile, anyTrash, anyRestored, anyGarbage]) {
      for await (const batch of items.scan(space, { prefix })) {
        for (const row of batch) {
          const content = namedContent(row) ?? restoredContent(row) ?? garbageContent(row);
          if (content === undefined) continue;
          const holders = await holdersOf(items, space, content);
          // If the list is missing, the content was swept in the meantime: the sweep deletes the blobs first, then the
          // list.
          if (holders !== undefined) yield* holders.blobs;
        }
      }
    }
  }
}
