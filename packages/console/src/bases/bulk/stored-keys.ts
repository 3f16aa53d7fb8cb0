import { everything } from '../query/model.js';
import { walkMatches } from './matches.js';

/** Keys that are read for a comparison at most. */
const maxKeys = 100_000;
const limit = 5000;

/** The keys of a base; undefined if they are too many to be read for a comparison. */
export async function storedKeys(
  base: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  const keys = new Set<string>();
  for await (const rows of walkMatches(base, everything, { isKeysOnly: true, limit, signal })) {
    for (const { key } of rows) keys.add(key);
    if (keys.size > maxKeys) return undefined;
  }
  return keys;
}
