import type { ChangeLog, ChangeLogRules } from '../change-log.js';
import type { OnGroup } from '../engine.js';
import { createGroupCommit, type GroupCommit, type Operation } from '../shared/group-commit.js';
import { StorageUnavailable } from '../storage-errors.js';
import { asBatch, type RowMemory } from './cache/row-memory.js';
import { type ChangeNotes, createChangeNotes } from './change-notes.js';
import { isDiskFull } from './database/disk-room.js';
import type { SyncedDatabase } from './database/synced-database.js';
import { createDueIndex, type DueIndex } from './due/due-index.js';
import { readBatches } from './reading/read.js';
import type { RowReader } from './reading/row-reader.js';
import { afterDueIndex, dueMark, parseDueKey } from './rows/row-encoding.js';
import type { EmptiedRows } from './shrink/emptied-rows.js';

/** Commits groups of transactions on rows, and the entries of the due index with them. */
export type RowCommit = ReturnType<typeof createRowCommit>;

export interface RowCommitDependencies {
  readonly database: SyncedDatabase;
  readonly memory: RowMemory;
  readonly reader: RowReader;
  /** Absent for memory. */
  readonly emptied: EmptiedRows | undefined;
  /** Called after each write. */
  readonly noteWrite: () => void;
  readonly onGroup: OnGroup | undefined;
}

/** On a full disk, LevelDB's own work in the background may take the room that a delete was given. */
const maxTries = 3;

export function createRowCommit(dependencies: RowCommitDependencies) {
  const { database, reader, onGroup } = dependencies;
  const { room } = database;
  let failure: StorageUnavailable | undefined;
  let notes: ChangeNotes | undefined;

  async function commitDecided(operations: readonly Operation[]): Promise<void> {
    if (operations.length === 0) return;
    if (failure !== undefined) await room.giveBack();
    const noted = notes?.withNotes(operations) ?? operations;
    await write(dependencies, dueIndex.withEntries(noted, reader.readBefore));
    notes?.committed();
  }

  // One process owns the store, so what is read here does not change until the batch is written.
  const groups = createGroupCommit(async (_group, decide) => {
    if (room.isShort) await room.look();
    try {
      for (let tries = 0; tries < maxTries; tries++) {
        while (database.current === undefined) await database.opened();
        try {
          return await commitDecided(decide(reader.readRow));
        } catch (cause) {
          if (!(cause instanceof StorageUnavailable && isDiskFull(cause))) throw cause;
          // Now `decide` refuses all changes of the group but those that make room: they may use the reserve.
          failure = cause;
        }
      }
      throw await database.missingRoom();
    } finally {
      failure = undefined;
    }
  }, onGroup);
  const dueIndex: DueIndex = createDueIndex(() => dueRows(database, groups));

  return {
    groups,
    /** Why the group that is being decided could not be written at first. */
    get failure(): StorageUnavailable | undefined {
      return failure;
    },
    /** Learns which rows have an entry in the due index, unless that is known. */
    learnDue: dueIndex.learn,
    /** From now on, commits note what they change. */
    keepChanges(rules: ChangeLogRules): ChangeLog {
      notes = createChangeNotes(rules);
      return notes;
    },
  };
}

async function write(
  { database, memory, reader, emptied, noteWrite }: RowCommitDependencies,
  operations: readonly Operation[],
): Promise<void> {
  const batch = asBatch(operations);
  emptied?.note(batch.operations, reader.bytesBefore, database.room.isShort);
  for (const key of batch.byKey.keys()) reader.noteWritten(key);
  await memory.around(batch, () => database.write(batch.operations));
  noteWrite();
}

/** The keys of all rows that have an entry in the due index, those of the group that is being written included. */
async function* dueRows(database: SyncedDatabase, groups: GroupCommit): AsyncGenerator<readonly string[]> {
  // This waits for that group.
  await groups.submit([], () => ({ operations: [], result: undefined }));
  const entries = { gte: dueMark, lt: afterDueIndex };
  for await (const batch of readBatches<Buffer>(database, entries, 'buffer')) {
    yield batch.map(([entry]) => parseDueKey(entry).rowKey);
  }
}
