import type { ItemStore } from '../engines/item-store.js';
import {
  anyFile,
  anyGarbage,
  anyPart,
  driveSpaces,
  garbageContent,
  holdersOf,
  namedContent,
} from './row-contents.js';

/**
 * The ids of all blobs that rows of drives name, some more than once. Content moves in one direction only: from a part
 * to a file (End) or to garbage (sent again, aborted), from a file to garbage (overwritten, deleted), and then it is
 * deleted. The rows are read in that order, so a content that moves meanwhile is found in its old place or the new one:
 * a blob that had a row when this began, and still has one, is named. The parts of an upload that is garbage still have
 * their rows. Throws `RowUnreadable`: a caller that deletes what is not named must then delete nothing.
 */
export async function* ownedBlobs(items: ItemStore): AsyncGenerator<string> {
  for await (const space of items.spaces(driveSpaces)) {
    for (const prefix of [anyPart, anyFile, anyGarbage]) {
      for await (const batch of items.scan(space, { prefix })) {
        for (const row of batch) {
          const content = namedContent(row) ?? garbageContent(row);
          if (content === undefined) continue;
          const holders = await holdersOf(items, space, content);
          // If the list is missing, the content was swept meanwhile: its blobs first, then the list.
          if (holders !== undefined) yield* holders.blobs;
        }
      }
    }
  }
}
