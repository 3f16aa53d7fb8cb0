import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FirstCount } from '../../../engines/first-count.js';
import { type Change, headerKey, type ItemStore } from '../../../engines/item-store.js';
import { keyBatches } from '../../../engines/key-batches.js';
import type { Log } from '../../../lib/log.js';
import {
  type Declaration,
  type Declarations,
  hasWork,
  isCounted,
  isUnfinished,
  readDeclarations,
  stateIn,
  withFailure,
  withState,
  writeDeclarations,
} from '../declarations/declarations.js';
import { entryPrefix, uniqueRowPrefix } from '../entries/entries.js';
import { baseCounterKeys } from '../writing/counted-items.js';
import { type BuildDependencies, createBuildOf } from './build-batch.js';

/** Builds and drops indexes in the background. All of it may be repeated, by any server. */
export interface IndexWork {
  /** Begins the work on the indexes of a base, unless it is in progress. Does not wait for it. */
  start(space: string): void;
  /** Does all work on the indexes of a base. Resolves early if this server may not work any more. */
  run(space: string): Promise<void>;
  /** Resolves when the batches in progress have ended. No more begin after it. */
  stop(): Promise<void>;
}

export interface IndexWorkDependencies extends BuildDependencies {
  /** Whether this server does background work. */
  readonly mayWork: () => boolean;
  readonly log: Pick<Log, 'error'>;
  readonly firstCount: FirstCount;
}

/**
 * The header of a base that has work is due, so the work is found again after a restart, or by another server
 * (`maintenance/`). It begins from the start then: an entry that is there is written again.
 *
 * Each batch is one transaction, which reads the items as they are then. Writers keep the entries of their items in step
 * from the declaration on, whether or not the items have been passed.
 */
export function createIndexWork(dependencies: IndexWorkDependencies): IndexWork {
  const { items, indexedStore, mayWork, log, firstCount } = dependencies;
  const running = new Map<string, Promise<void>>();
  let stopped = false;
  const mayContinue = () => !stopped && mayWork();

  async function work(space: string): Promise<void> {
    let hasCounted = false;
    while (mayContinue()) {
      const { indexes } = readDeclarations(await items.get(space, headerKey));
      const next = indexes.find(isUnfinished);
      if (next === undefined) {
        if (hasCounted) return;
        // There may be new work by now.
        await firstCount.run(space);
        hasCounted = true;
        continue;
      }
      hasCounted = false;
      if (next.state === 'dropping') {
        const { id } = next;
        if (await dropRows(items, space, id, mayContinue))
          await changeDeclarations(items, space, next, (all) => withState(all, id, undefined));
        continue;
      }
      const built = await build(space, next);
      if (built === undefined) continue;
      const isReady = built.length === 0;
      await changeDeclarations(items, space, next, (all) =>
        isReady ? withState(all, next.id, 'ready') : withFailure(all, next, built),
      );
    }
  }

  /**
   * Adds the entries of all items. Resolves to the first keys of items whose values are not unique; to undefined if the
   * index is dropped before that, or the work must end.
   */
  async function build(space: string, index: Declaration): Promise<readonly string[] | undefined> {
    const batches = createBuildOf(dependencies, space, index);
    for await (const keys of keyBatches(indexedStore, space)) {
      if (!mayContinue() || !(await batches.add(keys))) return undefined;
      if (batches.isFailed()) break;
      await nextTurn();
    }
    return batches.collisions();
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
      await firstCount.stop();
      await Promise.allSettled(running.values());
    },
  };
}

/** Deletes all rows of an index, which no writer adds to since its state was changed. Resolves to false if it may not go on. */
async function dropRows(
  items: ItemStore,
  space: string,
  id: string,
  mayContinue: () => boolean,
): Promise<boolean> {
  for (const prefix of [entryPrefix(id), uniqueRowPrefix(id)]) {
    for await (const deletes of keyBatches(items, space, prefix)) {
      if (!mayContinue()) return false;
      await items.transact(space, [], () => ({ deletes, result: undefined }));
      await nextTurn();
    }
  }
  return true;
}

/** Changes the declarations, unless the state of the index has changed in the meantime. */
async function changeDeclarations(
  items: ItemStore,
  space: string,
  index: Declaration,
  next: (declarations: Declarations) => Declarations,
): Promise<void> {
  await items.transact(space, [headerKey], ([header]) => {
    const declarations = readDeclarations(header);
    if (stateIn(declarations, index) !== index.state) return { result: undefined };
    return {
      ...headerChange(next(declarations)),
      makesRoom: index.state === 'dropping',
      result: undefined,
    };
  });
}

/** What a transaction changes to store these declarations. A header with work is due at once. */
export function headerChange(declarations: Declarations): Pick<Change<unknown>, 'puts' | 'deletes'> {
  // Writers that see this header do not keep a counter in step any more.
  const uncounted = isCounted(declarations) ? [] : baseCounterKeys;
  if (declarations.indexes.length === 0 && !declarations.counted)
    return { deletes: [headerKey, ...uncounted] };
  const put = { key: headerKey, value: writeDeclarations(declarations) };
  return { puts: [hasWork(declarations) ? { ...put, dueSeconds: 0 } : put], deletes: uncounted };
}
