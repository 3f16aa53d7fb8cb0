import { randomBytes } from 'node:crypto';
import type { ItemStore, Put } from '../../engines/item-store.js';
import type { StorageUnavailable } from '../../engines/storage-errors.js';
import { BlobMissing } from '../../engines/storage-errors.js';
import type { Store } from '../../engines/store.js';
import { endStoredLog } from '../../feed/stored-log.js';
import { randomId } from '../../lib/random-id.js';
import { OperatorError } from '../../operator-error.js';
import {
  accountsSpace,
  changesSpace,
  copySpace,
  maintenanceSpace,
  orphansSpace,
  storeSpace,
} from '../../spaces.js';
import { IncompleteCopy } from '../data-folder.js';
import { ensureIdentity, haveSameIdentity, identityBlob } from '../identity.js';

/**
 * The row that marks a store as a copy: it has the identity of the source. It is there from the beginning of a copy until a
 * server starts on it. So a copy overwrites something else only if it is told to.
 */
const copyKey = 'copy-of';

interface CopyRow {
  /** The identity of the source. */
  readonly source: string;
  /** A random id of the last run: if it changes, another run has begun. */
  readonly run: string;
  /** Whether that run has completed. */
  readonly hasEnded: boolean;
  /** All bytes of the source when a run last completed. */
  readonly totalBytes?: number | undefined;
  /** Of a standby: how far it has come. */
  readonly standby?: StandbyPosition | undefined;
}

/** How far a standby has followed its source (`store/standby/`). */
export interface StandbyPosition {
  /** The epoch of the log of the source. */
  readonly epoch: string;
  /** All rows of its logs before this key are applied. */
  readonly next: string;
  /** The standby has everything that was acknowledged before, in milliseconds since 1970 UTC. */
  readonly asOfMs: number;
  /** Whether some transactions of later moments may be there in part. */
  readonly isTorn: boolean;
  /**
   * Something else has changed the standby since: a command, or the loss of damaged rows. It may lack what it had, so all
   * is compared before it follows again.
   */
  readonly isChanged?: boolean | undefined;
}

/** Where a copy or a restore writes. */
export interface Destination extends Store {
  /** Called once the rows say that they are a copy. */
  readonly claimed?: (() => Promise<void>) | undefined;
  /** Where it is, for people, and why it failed, if this is a failure of the destination. */
  readonly failureOf?: ((cause: StorageUnavailable) => string | undefined) | undefined;
}

/** A destination that one run of a copy has for itself. */
export type ClaimedDestination = Awaited<ReturnType<typeof claimDestination>>;

export interface ClaimOptions {
  /** Claims the destination whatever it holds. */
  readonly overwrite: boolean;
  /** Whether the run is to follow the source, and goes on where an earlier one that did so has ended. */
  readonly follows?: boolean;
}

/**
 * Claims the destination for a copy of this source. It must be empty, or be a copy of the same source on which no
 * server was started. With `overwrite` it is claimed whatever it holds. Throws `OperatorError`.
 */
export async function claimDestination(
  source: Store,
  destination: Destination,
  { overwrite, follows = false }: ClaimOptions,
) {
  const { items } = destination;
  if ((await readCopyRow(source.items))?.hasEnded === false) {
    throw new OperatorError('The source is itself a copy that did not complete');
  }
  if (!(await haveSameIdentity(source.items, source.blobs))) {
    throw new OperatorError('--from: these bytes belong to other rows');
  }
  const before = await readCopyRow(items);
  const identity = await ensureIdentity(source.items);
  /** The destination was empty. */
  const isFresh = before === undefined && (await isEmpty(destination));
  if (!isFresh && (await haveSameBlobs(source, destination))) throw samePlace('bytes');
  const arePair = await haveSameIdentity(items, destination.blobs);
  if (!overwrite && !isFresh && (before?.source !== identity || !arePair)) {
    throw new OperatorError(refusal(before, identity));
  }

  const isSame = before?.source === identity && arePair;
  /** How far the destination had come as a standby, if this run is to follow, too. */
  const standby = follows && isSame && before.hasEnded ? before.standby : undefined;
  const own: CopyRow = {
    source: identity,
    run: randomBytes(9).toString('base64url'),
    // A standby is whole at every moment: it may be promoted while it is compared again, too.
    hasEnded: standby !== undefined,
    totalBytes: before?.source === identity ? before.totalBytes : undefined,
    standby,
  };
  await writeCopyRow(items, own);
  // If the source has this row too, both are the same place.
  const hasSameRows = (await readCopyRow(source.items))?.run === own.run;
  // Looked for only now: a test blob in a place that says nothing would make it look used to the run after a kill.
  if (hasSameRows || (isFresh && (await haveSameBlobs(source, destination)))) {
    await restore(items, before);
    throw samePlace(hasSameRows ? 'rows' : 'bytes');
  }
  await destination.claimed?.();
  if (!arePair) await destination.blobs.delete([identityBlob]);
  return {
    isFresh,
    /** An earlier run did not complete, or the destination held something else. */
    isIncomplete: !isFresh && (before?.source !== identity || !before.hasEnded),
    /** All bytes of the source when a run last completed. */
    totalBytes: own.totalBytes,
    standby,
    /** Throws `OperatorError` when another copy or a server has begun to use the destination. */
    async stillHeld(): Promise<void> {
      const now = await readCopyRow(items);
      if (now?.run !== own.run) throw new OperatorError(endOfHolding(now));
    },
    /** The run has completed: servers may start, and the next run knows how much there is. */
    end: (totalBytes: number) =>
      writeCopyRow(items, { ...own, hasEnded: true, totalBytes, standby: undefined }),
    /** Notes how far a run has come that goes on. */
    async follow(totalBytes: number | undefined, position: StandbyPosition): Promise<void> {
      const row = { ...own, hasEnded: true, totalBytes, standby: position };
      // In one transaction: a position must not take the place of what a command has just noted.
      const now = await items.transact(copySpace, [copyKey], ([found]) => {
        const stored = found && (JSON.parse(found.toString()) as CopyRow);
        return stored?.run === own.run ? { puts: [putOf(row)], result: stored } : { result: stored };
      });
      if (now?.run !== own.run) throw new OperatorError(endOfHolding(now));
    },
  };
}

/**
 * Marks an empty store as one that a backup is restored to: no server starts on it until the returned function is
 * called. Throws `OperatorError` if it is not empty.
 */
export async function beginRestore(store: Destination): Promise<() => Promise<void>> {
  const { items } = store;
  if ((await readCopyRow(items)) !== undefined || !(await isEmpty(store))) {
    throw new OperatorError(
      'The store is not empty, or an earlier restore was interrupted: give an empty one',
    );
  }
  await writeCopyRow(items, {
    source: 'a backup',
    run: randomBytes(9).toString('base64url'),
    hasEnded: false,
  });
  await store.claimed?.();
  return () => restore(items, undefined);
}

/**
 * Called when a server begins to use these rows: from now on no run may change them. Gives how far they had come if they
 * were a standby. Throws `OperatorError` when the copy did not complete.
 */
export async function leaveCopy(items: ItemStore): Promise<StandbyPosition | undefined> {
  await refuseIncompleteCopy(items);
  const row = await readCopyRow(items);
  if (row === undefined) return undefined;
  // A copy is written without notes of what changes.
  await endStoredLog(items);
  await restore(items, undefined);
  return row.standby;
}

/**
 * Call it before something other than its copy changes the bases and drives of a store: if it is a standby, no log notes that
 * change, so the next run that follows compares everything. One that follows now ends.
 */
export async function changeStandby(items: ItemStore): Promise<void> {
  const row = await readCopyRow(items);
  if (row?.standby === undefined || row.standby.isChanged) return;
  const run = randomBytes(9).toString('base64url');
  await writeCopyRow(items, { ...row, run, standby: { ...row.standby, isChanged: true } });
}

/** How far a standby has come; undefined if the rows are not a standby. */
export async function standbyPosition(items: ItemStore): Promise<StandbyPosition | undefined> {
  return (await readCopyRow(items))?.standby;
}

/** Throws `OperatorError` when the rows are a copy, or a backup that was restored, and that did not complete. */
export async function refuseIncompleteCopy(items: ItemStore): Promise<void> {
  if ((await readCopyRow(items))?.hasEnded !== false) return;
  throw new IncompleteCopy();
}

/** If a test blob appears on both sides, they are the same place. There the copy would delete what it does not name. */
async function haveSameBlobs(source: Store, destination: Store): Promise<boolean> {
  const id = randomId();
  await destination.blobs.write(id, [Buffer.from('Is this place the same?')]);
  try {
    for await (const _chunk of source.blobs.read(id)) break;
    return true;
  } catch (cause) {
    if (cause instanceof BlobMissing) return false;
    throw cause;
  } finally {
    await destination.blobs.delete([id]);
  }
}

/** Why a run has its destination no longer, of which this is the row now. */
function endOfHolding(now: CopyRow | undefined): string {
  if (now === undefined) return 'A server was started on the destination: this copy has ended';
  if (now.standby?.isChanged)
    return 'A command has changed the destination: run this copy again, which compares everything';
  return 'Another copy to the destination has begun: this one has ended';
}

function samePlace(what: 'rows' | 'bytes'): OperatorError {
  return new OperatorError(`--from and --to have the same ${what}: give them a place of their own`);
}

function refusal(before: CopyRow | undefined, source: string): string {
  const what =
    before === undefined
      ? 'The destination holds something else, or a server was started on it since it was copied'
      : before.source !== source
        ? 'The destination is a copy of another source'
        : 'The bytes of the destination belong to other rows';
  return `${what}: --overwrite makes it equal to the source, whatever it holds`;
}

async function isEmpty({ items, blobs }: Store): Promise<boolean> {
  for await (const space of items.spaces('')) if (isCopied(space)) return false;
  for await (const { id } of blobs.ids()) if (id !== identityBlob) return false;
  return await haveSameIdentity(items, blobs);
}

/** Whether a space is copied: all but those that are about one store only. */
export function isCopied(space: string): boolean {
  if (space === changesSpace || space.startsWith(`${changesSpace}/`)) return false;
  if (space.startsWith(`${accountsSpace}/`)) return false;
  return ![copySpace, storeSpace, maintenanceSpace, orphansSpace].includes(space);
}

async function readCopyRow(items: ItemStore): Promise<CopyRow | undefined> {
  const row = await items.get(copySpace, copyKey);
  return row === undefined ? undefined : (JSON.parse(row.toString()) as CopyRow);
}

async function writeCopyRow(items: ItemStore, row: CopyRow): Promise<void> {
  await items.transact(copySpace, [], () => ({ puts: [putOf(row)], result: undefined }));
}

function putOf(row: CopyRow): Put {
  return { key: copyKey, value: Buffer.from(JSON.stringify(row)) };
}

async function restore(items: ItemStore, before: CopyRow | undefined): Promise<void> {
  if (before !== undefined) return await writeCopyRow(items, before);
  await items.transact(copySpace, [], () => ({ deletes: [copyKey], result: undefined }));
}
