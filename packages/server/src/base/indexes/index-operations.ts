import { type Change, headerKey, type ItemStore, type Snapshot } from '../../engines/item-store.js';
import { HeadersUnsupported } from '../../engines/storage-errors.js';
import { createFairSemaphores } from '../../lib/concurrency/semaphore.js';
import { abandoned, badField, refused } from '../../request-error.js';
import { projectOfSpace } from '../../spaces.js';
import { maxIndexes } from '../limits.js';
import { headerChange, type IndexWork } from './building/background-work.js';
import {
  type Declaration,
  declared,
  type IndexKind,
  readDeclarations,
  withState,
} from './declarations/declarations.js';
import { entryPrefix } from './entries/entries.js';
import type { IndexUses } from './reading/index-uses.js';

/** What a request declares. */
export interface IndexDefinition extends IndexKind {
  readonly fields: readonly string[];
}

/** An index as its declaration is answered. */
export interface IndexDescription extends IndexDefinition {
  readonly name: string;
  readonly state: 'building' | 'ready' | 'failed';
  /** The first keys of items with equal values, if it failed. */
  readonly collisions?: readonly string[] | undefined;
}

export interface CountedIndex extends IndexDescription {
  /** The number of entries; if they were not all counted, a smaller number. */
  readonly entries: number;
  readonly exact: boolean;
  /** The queries that this server has answered by it since it has started. */
  readonly uses: number;
  /** When it was the last time, in whole seconds since 1970 UTC. */
  readonly used_at?: number;
}

/** The operations on the indexes of a base (docs/http.md#indexes). */
export interface IndexOperations {
  /**
   * Declares an index. Resolves to what it is, and whether it is new, or is built anew after it had failed. Throws a
   * `RequestError`: 409 if an index of this name is another one, 400 if the base has too many indexes.
   */
  declare(
    space: string,
    name: string,
    definition: IndexDefinition,
  ): Promise<{ readonly index: IndexDescription; readonly isNew: boolean }>;
  list(space: string, isAbandoned: () => boolean): Promise<readonly CountedIndex[]>;
  /** Drops an index. It need not exist. */
  drop(space: string, name: string): Promise<void>;
}

/** The time for which the entries of all indexes of a base are counted. */
const countMs = 1000;
const listsAtOnce = 2;

export function createIndexOperations(items: ItemStore, work: IndexWork, uses: IndexUses): IndexOperations {
  const listing = createFairSemaphores(() => listsAtOnce);

  return {
    async declare(space, name, definition) {
      const outcome = await items
        .transact(space, [headerKey], ([header]): Change<Declared> => {
          const declarations = readDeclarations(header);
          const indexes = declared(declarations);
          const existing = indexes.find((index) => index.name === name);
          if (existing !== undefined && existing.state !== 'failed') {
            if (!isSame(existing, definition))
              throw refused('index_differs', 'The index exists with other fields, or is of another kind');
            return { result: { index: describe(existing), isNew: false } };
          }
          if (existing === undefined && indexes.length === maxIndexes)
            throw badField('index', 'too_many_indexes', `a base may have ${maxIndexes} indexes`);
          const { next } = declarations;
          const index: Declaration = { id: next.toString(36), name, ...definition, state: 'building' };
          const others = declarations.indexes.filter((one) => one !== existing);
          const changed = { ...declarations, next: next + 1, indexes: [...others, index] };
          return { ...headerChange(changed), result: { index: describe(index), isNew: true } };
        })
        .catch((cause) => {
          throw cause instanceof HeadersUnsupported
            ? badField('index', 'indexes_unsupported', cause.message)
            : cause;
        });
      work.start(space);
      return outcome;
    },

    list: (space, isAbandoned) =>
      listing(projectOfSpace(space))(async () => {
        const snapshot = await items.snapshot(space);
        try {
          const [header] = await snapshot.texts([headerKey]);
          const untilMs = performance.now() + countMs;
          const found: CountedIndex[] = [];
          for (const index of declared(readDeclarations(header))) {
            const counted = await countEntries(snapshot, index, () => {
              if (isAbandoned()) throw abandoned();
              return performance.now() < untilMs;
            });
            const { uses: times = 0, lastSeconds } = uses.of(space, index.id) ?? {};
            const use = { uses: times, ...(lastSeconds !== undefined && { used_at: lastSeconds }) };
            found.push({ ...describe(index), ...counted, ...use });
          }
          return found;
        } finally {
          await snapshot.close();
        }
      }),

    async drop(space, name) {
      await items.transact(space, [headerKey], ([header]) => {
        const declarations = readDeclarations(header);
        const existing = declared(declarations).find((index) => index.name === name);
        if (existing === undefined) return { result: undefined };
        // One that failed has no rows to drop.
        const next = existing.state === 'failed' ? undefined : 'dropping';
        const change = headerChange(withState(declarations, existing.id, next));
        return { ...change, makesRoom: true, result: undefined };
      });
      work.start(space);
    },
  };
}

type Declared = Awaited<ReturnType<IndexOperations['declare']>>;

function isSame(existing: Declaration, { fields, unique, each }: IndexDefinition): boolean {
  return (
    JSON.stringify(existing.fields) === JSON.stringify(fields) &&
    existing.unique === unique &&
    existing.each === each
  );
}

function describe({ name, fields, unique, each, state, collisions }: Declaration): IndexDescription {
  return {
    name,
    fields,
    ...(unique && { unique }),
    ...(each && { each }),
    state: state === 'dropping' ? 'building' : state,
    ...(collisions && { collisions }),
  };
}

async function countEntries(snapshot: Snapshot, { id }: Declaration, mayGoOn: () => boolean) {
  let entries = 0;
  for await (const keys of snapshot.keys({ prefix: entryPrefix(id) })) {
    entries += keys.length;
    if (!mayGoOn()) return { entries, exact: false };
  }
  return { entries, exact: true };
}
