import { WrongBytes } from '../../drive/contents/checksums.js';
import { garbageKey, type Piece } from '../../drive/rows.js';
import type { Put, ScannedRow } from '../../engines/item-store.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import { allSettledOrThrow } from '../../lib/concurrency/all-settled.js';
import { groupsOf } from '../../lib/groups.js';
import { bringBlob } from '../copy/bring-blobs.js';
import type { CopyRun } from '../copy/copy-run.js';
import { leaveOut } from '../copy/late-rows.js';
import { openSpaceSnapshot } from '../copy/space-snapshot.js';
import { waitingAmong, waitingRow } from '../copy/waiting-blobs.js';
import type { Applying } from './applying.js';
import { ownedAt, ReadRoom, readRows, rowsAt, TooMuchNoted } from './drive-rows.js';

/** After this number of copied blobs, the destination notes them. A run that was killed copies the others again. */
const blobsAtOnce = 100;
/**
 * The memory that the noted rows of both stores may take, with what they own. They cannot be applied in parts, because
 * a content may move from a row of one part to a row of another. A drive that needs more is compared instead.
 */
const usualMaxBytes = 32 * 1024 * 1024;

/**
 * Makes the noted rows of a drive, and what they own, what they are in the source at one moment:
 *
 *   source, at one moment ──► the noted rows, the rows of their contents, what blobs they need
 *   source, later         ──► those blobs, each owned by garbage/{id} at the destination, where it waits
 *   one transaction           the rows, with the deletes of the garbage/{id} that their blobs waited in; what lost its
 *                             owner waits in garbage/{id}, unless another of the rows owns it now
 *   in the end                the blobs that lost their owner are deleted, and then their garbage/{id}
 *
 * Every change of an owner is noted, so a blob that none of these rows owns any more has no owner. Gives false, and has
 * changed nothing, if the drive must be compared instead.
 */
export async function applyDrive(
  run: CopyRun,
  { space, keys: noted, late }: Applying,
  maxBytes = usualMaxBytes,
): Promise<boolean> {
  const { source, destination, report } = run;
  // Keeps the bytes that the snapshot names until they are copied.
  const release = run.holdGarbage();
  try {
    const moment = await openSpaceSnapshot(source.items, space);
    const read = async () => {
      const keys = await late(noted);
      if (keys === 'many') return undefined;
      const room = new ReadRoom(maxBytes);
      const left = await rowsAt(moment, keys, room);
      const right = await readRows(destination.items, space, [...left.keys()], room);
      const before = await ownedAt(destination.items, space, right.values(), room);
      const now = await ownedAt(moment.items, space, left.values(), room);
      const needed = [...now.rows].filter((key) => !before.rows.has(key));
      return { left, right, before, now, contents: await readContents(run, space, { moment, keys: needed }) };
    };
    const found = await read().finally(() => moment.close());
    if (found === undefined) return false;
    const { left, right, before, now, contents } = found;

    const needed = [...now.owners.values()].flatMap(({ needs }) => needs);
    const wanted = new Map(
      needed.filter(({ id }) => !before.blobs.has(id)).map((piece) => [piece.id, piece]),
    );
    const there = await bring(run, space, [...wanted.values()]);
    const problemOf = (key: string): string | undefined => {
      const owned = now.owners.get(key);
      if (owned === undefined) return undefined;
      if (owned.problem !== undefined) return owned.problem;
      const missing = owned.needs.find(({ id }) => !before.blobs.has(id) && !there.has(id));
      return missing && (there.problems.get(missing.id) ?? `its bytes, blob ${missing.id}, are missing`);
    };

    const puts: Put[] = [...contents];
    const deletes: string[] = [];
    for (const [key, row] of left) {
      const problem = row && problemOf(key);
      if (row !== undefined && problem !== undefined) await leaveOut(run, space, row, problem);
      if (row !== undefined && problem === undefined) puts.push(asPut(row));
      else if (right.has(key)) deletes.push(key);
    }
    report.rowsPut += puts.length;
    report.rowsDeleted += deletes.length;
    const lost = [...before.blobs.keys()].filter((id) => !now.blobs.has(id));
    deletes.push(...[...before.rows].filter((key) => !now.rows.has(key)));
    deletes.push(...[...there.waiting].map(garbageKey));
    puts.push(...lost.map(waitingRow));
    if (puts.length + deletes.length === 0) return true;
    await run.beforeWrite();
    await destination.items.transact(space, [], () => ({ puts, deletes, result: undefined }));
    if (lost.length === 0) return true;
    await destination.blobs.delete(lost);
    report.blobsDeleted += lost.length;
    await destination.items.transact(space, [], () => ({ deletes: lost.map(garbageKey), result: undefined }));
    return true;
  } catch (cause) {
    if (cause instanceof TooMuchNoted) return false;
    throw cause;
  } finally {
    release();
  }
}

/** The maximum bytes of contents in one transaction. Further contents are written before the rows that name them. */
const maxContentBytes = 16 * 1024 * 1024;

interface Contents {
  readonly moment: Parameters<typeof rowsAt>[0];
  readonly keys: readonly string[];
}

/**
 * Reads the rows with bytes, and the lists of pieces. It may write some of them ahead: a content without an owner does
 * no harm.
 */
async function readContents(
  run: CopyRun,
  space: string,
  { moment, keys }: Contents,
): Promise<readonly Put[]> {
  let puts: Put[] = [];
  let bytes = 0;
  for (const key of keys) {
    for await (const rows of moment.scan({ gte: key, lte: key })) {
      for (const row of rows) {
        puts.push(asPut(row));
        bytes += row.value.length;
      }
    }
    if (bytes < maxContentBytes) continue;
    await run.beforeWrite();
    const some = puts;
    [puts, bytes] = [[], 0];
    await run.destination.items.transact(space, [], () => ({ puts: some, result: undefined }));
  }
  return puts;
}

interface Brought {
  has(id: string): boolean;
  /** The ids of the blobs that have a garbage row, in which they wait for their owner. */
  readonly waiting: ReadonlySet<string>;
  /** Why the other blobs could not be copied, by their ids. */
  readonly problems: ReadonlyMap<string, string>;
}

/** Copies blobs that no row of the destination owns, unless they wait there already. */
async function bring(run: CopyRun, space: string, pieces: readonly Piece[]): Promise<Brought> {
  const { destination } = run;
  const waiting = new Set(
    await waitingAmong(
      destination,
      space,
      pieces.map(({ id }) => id),
    ),
  );
  const problems = new Map<string, string>();
  const missing = pieces.filter(({ id }) => !waiting.has(id));
  for (const some of groupsOf(missing, blobsAtOnce)) {
    await run.betweenSteps();
    await allSettledOrThrow(
      some.map((piece) =>
        run
          .semaphore(() => bringBlob(run, piece))
          .catch((cause) => {
            if (!(cause instanceof BlobMissing || cause instanceof WrongBytes)) throw cause;
            problems.set(piece.id, cause.message);
          }),
      ),
    );
    const ids = some.map(({ id }) => id).filter((id) => !problems.has(id));
    for (const id of ids) waiting.add(id);
    if (ids.length === 0) continue;
    await run.beforeWrite();
    await destination.items.transact(space, [], () => ({ puts: ids.map(waitingRow), result: undefined }));
  }
  return { has: (id) => waiting.has(id), waiting, problems };
}

function asPut({ key, value, dueSeconds }: ScannedRow): Put {
  return dueSeconds === undefined ? { key, value } : { key, value, dueSeconds };
}
