import type { ItemStore } from '../../engines/item-store.js';
import { keyBatches } from '../../engines/key-batches.js';
import { refused } from '../../request-error.js';
import { driveSpaces } from '../../spaces.js';
import { uploadKey } from '../rows.js';

/** So many uploads a project may have open, over all its drives (docs/http.md#abandoned-uploads). */
const maxOpenUploads = 10_000;
/** What a project may open before its uploads are counted for the first time, as a part of the most. */
const uncountedShare = 1 / 10;
/** The pause after a count, so that whoever is refused again and again does not keep the server counting. */
const pauseMs = 1000;
const spacesAtOnce = 100;

/** What is known of the open uploads of a project. */
interface Known {
  /** So many more may be opened before they are counted again. */
  left: number;
  /** Those that are being stored. A count waits for them: it could miss them, or find them. */
  readonly opening: Set<Promise<unknown>>;
  counting: Promise<void> | undefined;
  /** When the last count ended. */
  countedMs: number;
}

/** Bounds the open uploads of a project, without counting them for each that is opened. */
export interface UploadCount {
  /**
   * Runs what opens an upload, and gives its result. `isNew` says whether it has opened one. Throws the 409 `RequestError` of
   * a project that has as many as it may have; then nothing was run.
   */
  open<T>(project: string, work: () => Promise<T>, isNew?: (result: T) => boolean): Promise<T>;
  /** An upload was ended, aborted or dropped. */
  closed(project: string): void;
}

/**
 * Each server counts what it has opened and closed since it last counted the rows: so what others open of shared rows shows
 * when its own have used up what was left.
 */
export function createUploadCount(
  items: ItemStore,
  most = maxOpenUploads,
  monotonicMs = () => performance.now(),
): UploadCount {
  const projects = new Map<string, Known>();

  function knownOf(project: string): Known {
    let known = projects.get(project);
    if (known === undefined) {
      const left = Math.ceil(most * uncountedShare);
      known = { left, opening: new Set(), counting: undefined, countedMs: Number.NEGATIVE_INFINITY };
      projects.set(project, known);
    }
    return known;
  }

  async function count(project: string, known: Known): Promise<void> {
    try {
      await Promise.allSettled(known.opening);
      known.left = most - (await uploadsOf(items, project, 2 * most));
    } finally {
      known.countedMs = monotonicMs();
      known.counting = undefined;
    }
  }

  return {
    async open(project, work, isNew = () => true) {
      const known = knownOf(project);
      if (known.left <= 0 && monotonicMs() - known.countedMs >= pauseMs)
        known.counting ??= count(project, known);
      if (known.counting !== undefined) await known.counting;
      if (known.left <= 0) {
        const message = `The project has ${most} open uploads: end or abort some of them`;
        throw refused('too_many_uploads', message);
      }
      // Without an await in between: a count that begins now knows of it.
      known.left--;
      const opening = work();
      known.opening.add(opening);
      let isOpened = false;
      try {
        const result = await opening;
        isOpened = isNew(result);
        return result;
      } finally {
        known.opening.delete(opening);
        if (!isOpened) known.left++;
      }
    },

    closed(project) {
      const known = projects.get(project);
      // A count that is in progress finds it gone.
      if (known !== undefined && known.counting === undefined) known.left = Math.min(known.left + 1, most);
    },
  };
}

/** The open uploads of all drives of a project, those of the service itself included; `most` stands for more. */
async function uploadsOf(items: ItemStore, project: string, most: number): Promise<number> {
  const prefix = uploadKey('');
  let found = 0;
  let spaces: string[] = [];
  const add = async () => {
    const heads = await items.firstRows(spaces, { prefix });
    for (const [at, space] of spaces.entries()) {
      if (heads[at] === undefined) continue;
      for await (const keys of keyBatches(items, space, prefix)) {
        found += keys.length;
        if (found >= most) return;
      }
    }
    spaces = [];
  };
  for await (const space of items.spaces(`${driveSpaces}${project}/`)) {
    spaces.push(space);
    if (spaces.length < spacesAtOnce) continue;
    await add();
    if (found >= most) return most;
  }
  if (spaces.length > 0) await add();
  return Math.min(found, most);
}
