import type { Change, ItemStore } from '../engines/item-store.js';
import { keepLast } from '../lib/keep-last.js';
import { publicSpace } from '../spaces.js';

/** Which files of a drive are public, and for how long caches may keep them. */
export interface PublicPrefixes {
  /** Each ends in `/`. The files whose names begin with one of them are public. */
  readonly prefixes: readonly string[];
  /** Whole seconds. */
  readonly maxAgeSeconds: number;
}

/** The public prefixes of all drives. */
export interface PublicPrefixStore {
  /** Gives those of a drive, as they are stored now. */
  read(project: string, drive: string): Promise<PublicPrefixes>;
  /** Gives those of a drive. If servers share the rows, they may be a second old. */
  readRecent(project: string, drive: string): PublicPrefixes | Promise<PublicPrefixes>;
  /** Replaces those of a drive. */
  write(project: string, drive: string, prefixes: PublicPrefixes): Promise<void>;
}

export const defaultMaxAgeSeconds = 60;
const none: PublicPrefixes = { prefixes: [], maxAgeSeconds: defaultMaxAgeSeconds };
/** How long another server may show files whose prefix was withdrawn (docs/http.md#public-files). */
const keptMs = 1000;
const maxKept = 10_000;

/**
 * Opens the public prefixes in these rows. Embedded rows are read for every request, from their cache; for shared rows,
 * that would be a round trip, so what was read is kept for a second. `nowMs` never goes back.
 */
export function createPublicPrefixStore(
  items: ItemStore,
  nowMs = () => performance.now(),
): PublicPrefixStore {
  const kept = new Map<string, { readonly prefixes: PublicPrefixes; readonly untilMs: number }>();

  async function readAndKeep(project: string, drive: string): Promise<PublicPrefixes> {
    // The time before the read: what is read may be as old as its beginning.
    const untilMs = nowMs() + keptMs;
    const prefixes = readRow(await items.get(publicSpace(project), drive));
    keepLast(kept, idOf(project, drive), { prefixes, untilMs }, maxKept);
    return prefixes;
  }

  return {
    async read(project, drive) {
      return readRow(await items.get(publicSpace(project), drive));
    },

    readRecent(project, drive) {
      if (!items.isShared) {
        const row = items.get(publicSpace(project), drive);
        return row instanceof Promise ? row.then(readRow) : readRow(row);
      }
      const recent = kept.get(idOf(project, drive));
      return recent !== undefined && nowMs() < recent.untilMs ? recent.prefixes : readAndKeep(project, drive);
    },

    async write(project, drive, prefixes) {
      const value = Buffer.from(JSON.stringify(prefixes));
      const isNone = prefixes.prefixes.length === 0;
      const change: Change<undefined> = isNone
        ? { deletes: [drive], result: undefined }
        : { puts: [{ key: drive, value }], result: undefined };
      await items.transact(publicSpace(project), [drive], () => change);
      kept.delete(idOf(project, drive));
    },
  };
}

/** The longest public prefix that the name begins with, or undefined. */
export function publicPrefixOf({ prefixes }: PublicPrefixes, name: string): string | undefined {
  let longest: string | undefined;
  for (const prefix of prefixes) {
    if (name.startsWith(prefix) && prefix.length > (longest?.length ?? 0)) longest = prefix;
  }
  return longest;
}

function readRow(row: Buffer | undefined): PublicPrefixes {
  return row === undefined ? none : (JSON.parse(row.toString()) as PublicPrefixes);
}

/** A project has no `/`. */
function idOf(project: string, drive: string): string {
  return `${project}/${drive}`;
}
