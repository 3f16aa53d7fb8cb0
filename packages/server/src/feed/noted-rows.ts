import { firstItemKey } from '../base/indexes/entries/entries.js';
import { anyFile, anyGarbage } from '../drive/contents/row-contents.js';
import { isCounterKey } from '../drive/counted-files.js';
import { contentKey } from '../drive/rows.js';
import { headerKey } from '../engines/item-store.js';
import { driveSpaces } from '../spaces.js';

/**
 * Which rows the log notes. Readers of the feed are told of items and files; a standby (`store/standby/`) follows every
 * row that it cannot find by another one, or make itself: the declarations of a base, and of a drive all rows but
 * contents, garbage and counters.
 */

export function isNotedOfBase(key: string): boolean {
  return key >= firstItemKey || key === headerKey;
}

export function isNotedOfDrive(key: string): boolean {
  return (
    key.startsWith(anyFile) ||
    !(key.startsWith(anyContent) || key.startsWith(anyGarbage) || isCounterKey(key))
  );
}

/** Whether readers of the feed are told of a row that is noted. */
export function isTold(space: string, key: string): boolean {
  return space.startsWith(driveSpaces) ? key.startsWith(anyFile) : key >= firstItemKey;
}

const anyContent = contentKey('');
