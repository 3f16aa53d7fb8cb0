import type { NamePart, NameSet } from '../access/name-set.js';
import type { ItemStore } from '../engines/item-store.js';
import { compareUtf8 } from '../lib/text/utf8-order.js';

export interface NameQuery {
  /** Only names that begin with this text; empty for all names. */
  readonly prefix: string;
  /** Only names after this one; empty to begin with the first name. */
  readonly last: string;
  /** The maximum number of names, 1 or more. */
  readonly limit: number;
}

export interface NamesOptions {
  /** The names that the caller may see. */
  readonly visible: NameSet;
  /** What the name of each space begins with, before the name of the base or drive. */
  readonly root: string;
  /** How many names to read at once, and to give in a list. */
  readonly atOnce: number;
}

/**
 * The visible names that a query asks for, in the order of their UTF-8 bytes, in lists. It seeks to the parts of the
 * visible set, so it costs nothing that the project has more names. A name that the set has by itself is given unread:
 * it need not exist.
 */
export async function* nameLists(
  items: Pick<ItemStore, 'spaces'>,
  query: Pick<NameQuery, 'prefix' | 'last'>,
  options: NamesOptions,
): AsyncGenerator<readonly string[]> {
  let list: string[] = [];
  for await (const name of names(items, query, options)) {
    list.push(name);
    if (list.length < options.atOnce) continue;
    yield list;
    list = [];
  }
  if (list.length > 0) yield list;
}

async function* names(
  items: Pick<ItemStore, 'spaces'>,
  { prefix, last }: Pick<NameQuery, 'prefix' | 'last'>,
  { visible, root, atOnce: ahead }: NamesOptions,
): AsyncGenerator<string> {
  for (const part of visible.parts) {
    const asked = narrowed(part, prefix);
    if (asked === undefined) continue;
    const { text, isBeginning } = asked;
    const isAfter = last === '' || compareUtf8(text, last) > 0;
    if (!isBeginning) {
      if (isAfter) yield text;
    } else if (isAfter || last.startsWith(text)) {
      const after = isAfter ? undefined : root + last;
      for await (const space of items.spaces(root + text, { after, ahead })) yield space.slice(root.length);
    }
  }
}

/** What of a part begins with the prefix; undefined if nothing does. */
function narrowed(part: NamePart, prefix: string): NamePart | undefined {
  if (part.text.startsWith(prefix)) return part;
  return part.isBeginning && prefix.startsWith(part.text) ? { text: prefix, isBeginning: true } : undefined;
}
