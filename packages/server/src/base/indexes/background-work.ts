import { type Change, headerKey, type ItemStore, type Put } from '../../engines/item-store.js';
import { keyBatches } from '../../engines/key-batches.js';
import type { Log } from '../../lib/log.js';
import {
  type Declaration,
  type Declarations,
  hasWork,
  type IndexState,
  readDeclarations,
  withState,
  writeDeclarations,
} from './declarations.js';
import { createEntriesOf, entryPrefix } from './entries.js';
import type { IndexedStore } from './indexed-store.js';

/** Builds and drops indexes in the background. All of it may be repeated, by any server. */
export interface IndexWork {
  /** Begins the work on the indexes of a base, unless it is in progress. Does not wait for it. */
  start(space: string): void;
  /** Does all work on the indexes of a base. Resolves early if this server may not work any more. */
  run(space: string): Promise<void>;
  /** Resolves when the batches in progress have ended. No more begin after it. */
  stop(): Promise<void>;
}

export interface IndexWorkDependencies {
  readonly items: ItemStore;
  /** The same rows as items only. */
  readonly indexedStore: IndexedStore;
  /** Whether this server does background work. */
  readonly mayWork: () => boolean;
  readonly log: Pick<Log, 'error'>;
}

/**
 * The header of a base that has work is due, so the work is found again after a restart, or by another server
 * (`maintenance/`). It begins from the start then: an entry that is there is written again.
 *
 * Each batch is one transaction, which reads the items as they are then. Writers keep the entries of their items in step
 * from the declaration on, whether or not the items have been passed.
 */
export function createIndexWork({ items, indexedStore, mayWork, log }: IndexWorkDependencies): IndexWork {
  const running = new Map<string, Promise<void>>();
  let stopped = false;
  const mayContinue = () => !stopped && mayWork();

  async function work(space: string): Promise<void> {
    while (mayContinue()) {
      const { indexes } = readDeclarations(await items.get(space, headerKey));
      const next = indexes.find(({ state }) => state !== 'ready');
      if (next === undefined) return;
      const isDone = next.state === 'building' ? await build(space, next) : await drop(space, next);
      if (isDone) await setState(space, next, next.state === 'building' ? 'ready' : undefined);
    }
  }

  /** Adds the entries of all items. Resolves to false if the index is dropped before that, or the work must end. */
  async function build(space: string, index: Declaration): Promise<boolean> {
    const entriesOf = createEntriesOf([index]);
    for await (const keys of keyBatches(indexedStore, space)) {
      if (!mayContinue()) return false;
      const isWanted = await items.transact(
        space,
        [headerKey, ...keys],
        ([header, ...rows]): Change<boolean> => {
          if (stateIn(readDeclarations(header), index) !== 'building') return { result: false };
          const puts: Put[] = [];
          for (const [index, key] of keys.entries()) {
            const row = rows[index];
            if (row === undefined) continue;
            for (const entry of entriesOf(key, row.toString()))
              puts.push({ key: entry, value: Buffer.alloc(0) });
          }
          return { puts, result: true };
        },
      );
      if (!isWanted) return false;
      await nextTurn();
    }
    return true;
  }

  /** Deletes all entries. No writer adds any since the state was changed. */
  async function drop(space: string, { id }: Declaration): Promise<boolean> {
    for await (const deletes of keyBatches(items, space, entryPrefix(id))) {
      if (!mayContinue()) return false;
      await items.transact(space, [], () => ({ deletes, result: undefined }));
      await nextTurn();
    }
    return true;
  }

  async function setState(space: string, index: Declaration, state: IndexState | undefined): Promise<void> {
    await items.transact(space, [headerKey], ([header]) => {
      const declarations = readDeclarations(header);
      if (stateIn(declarations, index) !== index.state) return { result: undefined };
      const change = headerChange(withState(declarations, index.id, state));
      return { ...change, makesRoom: state === undefined, result: undefined };
    });
  }

  function run(space: string): Promise<void> {
    const present = running.get(space);
    if (present !== undefined) return present;
    const begun = work(space).finally(() => running.delete(space));
    running.set(space, begun);
    return begun;
  }

  return {
    run,
    start(space) {
      if (!mayContinue()) return;
      run(space).catch((cause) =>
        log.error({ err: cause }, 'work on the indexes of a base failed and will be repeated'),
      );
    },
    async stop() {
      stopped = true;
      await Promise.allSettled(running.values());
    },
  };
}

/** What a transaction changes to store these declarations. A header with work is due at once. */
export function headerChange(declarations: Declarations): Pick<Change<unknown>, 'puts' | 'deletes'> {
  if (declarations.indexes.length === 0) return { deletes: [headerKey] };
  const put = { key: headerKey, value: writeDeclarations(declarations) };
  return { puts: [hasWork(declarations) ? { ...put, dueSeconds: 0 } : put] };
}

function stateIn({ indexes }: Declarations, { id }: Declaration): IndexState | undefined {
  return indexes.find((one) => one.id === id)?.state;
}

/** Requests that arrived in the meantime are answered first. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
