import { countMatches, readPage } from '../base-api.js';
import { groupOf, type KeyGroup } from './group.js';

/** The greatest character: after all keys that begin with a text. */
const greatest = '\u{10FFFF}';
/** The limit of `last` (docs/http.md#pages). */
const maxLastBytes = 1024;
const encoder = new TextEncoder();

/**
 * The groups of keys that begin with a prefix, up to the next separator, from the key `last` on. Each costs one small
 * request, however many keys it has: the next one asks for what comes after it.
 */
export async function* groupKeys(
  base: string,
  prefix: string,
  signal: AbortSignal,
): AsyncGenerator<KeyGroup> {
  const query = queryFor(prefix);
  for (let last: string | undefined; ; ) {
    const request = { query, order: [], isDescending: false, limit: 1, last, isKeysOnly: true };
    const page = await readPage(base, request, signal);
    const key = page.rows[0]?.key;
    // A page without items may not be the last one: expired items are passed over.
    if (key === undefined && page.last === undefined) return;
    if (key === undefined) last = page.last;
    else {
      const group = groupOf(key, prefix);
      yield group;
      last = group.isPrefix ? afterGroup(group.text, key) : key;
    }
  }
}

/** How many items have a prefix. */
export function countPrefix(base: string, prefix: string, signal: AbortSignal): Promise<number> {
  return countMatches(base, queryFor(prefix), signal);
}

/** The query for the keys with a prefix. */
function queryFor(prefix: string): string {
  return prefix === '' ? '[]' : `[{"key?pfx":${JSON.stringify(prefix)}}]`;
}

/** What all keys of a group are before. */
function afterGroup(prefix: string, key: string): string {
  const last = prefix + greatest.repeat(2);
  return encoder.encode(last).length > maxLastBytes ? key : last;
}
