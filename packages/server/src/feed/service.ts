import type { Grant } from '../access/grant.js';
import type { ItemStore } from '../engines/item-store.js';
import type { Clock } from '../lib/clock.js';
import { createSharedSemaphores } from '../lib/concurrency/semaphore.js';
import { isLittleMemory } from '../lib/memory.js';
import { Abandoned, refused } from '../request-error.js';
import type { SharingServices } from '../sharing/services.js';
import { changesSpaceOf } from '../spaces.js';
import { follow } from './follow.js';
import { type Batch, cursorTooOld, type Position, readPosition } from './position.js';
import { type RequestedSelection, selectionOf } from './selection.js';
import type { StoredLog } from './stored-log.js';
import { createTails } from './tails.js';

/** What the operations of the feed work with. */
export interface FeedServices
  extends Pick<SharingServices, 'keys' | 'gate' | 'publicUrl' | 'isSecure' | 'clock'> {
  readonly feed: FeedService;
}

/** Who follows a project. */
export interface Reader {
  readonly project: string;
  readonly grant: Grant;
  /** Whether it has left, or its key has ended. It is asked each second. */
  readonly isOver: () => boolean;
  /** Whether its cursor was found in these rows. */
  readonly isStored?: boolean;
  /** How many changes the next batch may have; absent: as many as are read at once. */
  readonly most?: () => number;
}

const usualMost = 250;
/**
 * How many readers of a project read a batch at the same time, and how many of all projects. Its rows and their texts take
 * some 2 MB when items are large, and one change may wake all readers.
 */
const readAtOnceOfProject = isLittleMemory() ? 4 : 16;
const readAtOnce = 2 * readAtOnceOfProject;

export interface FeedService {
  /**
   * Gives the changes of a project since a cursor, until the reader is over or the feed stops (docs/http.md#list-changes).
   * Without a cursor: from now on. `0`: first everything that is there. Both begin with an empty batch whose position is the
   * beginning: with it, whoever loses the rest misses nothing. Throws the `RequestError` of a cursor that is malformed or
   * too old, or of a server that keeps no changes.
   */
  follow(reader: Reader, requested: RequestedSelection, since: string | undefined): AsyncGenerator<Batch>;
  /**
   * Whether everything before a cursor that was given is there for sure: a standby of the database may have taken over since.
   */
  hasGiven(cursor: string): Promise<boolean>;
  /** How many follow now. */
  readers(): number;
  /** Ends what readers wait for. */
  stop(): void;
}

export function createFeedService(items: ItemStore, log: StoredLog | undefined, clock: Clock): FeedService {
  const tails = log && createTails(items, log);
  const turnsOf = createSharedSemaphores(readAtOnce, readAtOnceOfProject);
  let isStopped = false;
  let readers = 0;

  return {
    async *follow({ project, grant, isOver, isStored = false, most = () => usualMost }, requested, since) {
      if (log === undefined || tails === undefined)
        throw refused('changes_not_kept', 'The server keeps no changes');
      const from = since === undefined || since === '0' ? undefined : readPosition(since, 'since');
      const { tail, leave } = await tails.join(changesSpaceOf(project));
      readers++;
      try {
        if (from !== undefined && !(await log.hasGiven(from, isStored))) throw cursorTooOld();
        const position = (from && { ...from, epoch: log.epoch }) ?? (await begin(log, since === '0'));
        const following = {
          items,
          log,
          rows: { items, clock, project },
          selection: selectionOf(requested, grant),
          tail,
          isOver: () => isStopped || isOver(),
          most,
          inTurn: turnsOf(project),
        };
        let hasGiven = from === undefined && !following.isOver();
        if (hasGiven) yield { changes: [], position, isLive: false };
        for await (const batch of follow(following, position)) {
          hasGiven = true;
          yield batch;
        }
        // The server was stopping when this request came: another server answers it, or this one after its next start.
        if (isStopped && !hasGiven) throw refused('not_ready', 'The server stops: try again');
      } catch (cause) {
        // The reader has left in the middle of a batch.
        if (!(cause instanceof Abandoned)) throw cause;
      } finally {
        readers--;
        leave();
      }
    },
    async hasGiven(cursor) {
      await log?.complete();
      return log !== undefined && (await log.hasGiven(readPosition(cursor, 'since')));
    },
    readers: () => readers,
    stop() {
      isStopped = true;
      tails?.stop();
    },
  };
}

/** Where a reader begins that has no cursor. The changes after it are read when the snapshot is whole. */
async function begin(log: StoredLog, withSnapshot: boolean): Promise<Position> {
  const next = await log.complete();
  const position = { epoch: log.epoch, next, given: 0 };
  return withSnapshot ? { ...position, snapshot: { of: 'bases', name: '', key: '' } } : position;
}
