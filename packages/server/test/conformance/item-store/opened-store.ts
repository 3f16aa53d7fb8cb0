import { afterEach, beforeEach } from 'node:test';
import type { ItemStore, Row, ScanRange } from '../../../src/engines/item-store.js';

export interface ItemStoreFixture {
  readonly store: ItemStore;
  /** Closes the store and opens it again. */
  readonly reopen: () => Promise<ItemStore>;
  /** Whether the store ends with its process: opened again, it is empty. */
  readonly isInMemory?: boolean;
  readonly cleanup: () => Promise<void>;
}

export const space = 'base/demo/users';

/** The store of the test that runs, and short ways to use it. All rows are in `space` unless another is given. */
export type OpenedStore = ReturnType<typeof useOpenedStore>;

/** Opens a store before each test and removes it afterwards. To be called in a `describe`. */
export function useOpenedStore(open: () => Promise<ItemStoreFixture>) {
  let fixture: ItemStoreFixture;
  let store: ItemStore;

  beforeEach(async () => {
    fixture = await open();
    store = fixture.store;
  });
  afterEach(async () => {
    await store.close();
    await fixture.cleanup();
  });

  async function put(key: string, value: string, options: { space?: string; dueSeconds?: number } = {}) {
    const { space: in_ = space, ...due } = options;
    await store.transact(in_, [], () => ({
      puts: [{ key, value: Buffer.from(value), ...due }],
      result: null,
    }));
  }

  async function remove(key: string) {
    await store.transact(space, [], () => ({ deletes: [key], result: null }));
  }

  async function get(key: string, in_ = space) {
    return (await store.get(in_, key))?.toString();
  }

  async function scan(range?: ScanRange, in_ = space): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const batch of store.scan(in_, range)) rows.push(...batch);
    return rows;
  }

  async function keys(range?: ScanRange, in_ = space) {
    return (await scan(range, in_)).map((row) => row.key);
  }

  async function spaces(prefix: string, after?: string, ahead?: number) {
    const names: string[] = [];
    for await (const found of store.spaces(prefix, { after, ahead })) names.push(found);
    return names;
  }

  return {
    get store() {
      return store;
    },
    get isInMemory() {
      return fixture.isInMemory ?? false;
    },
    async reopen() {
      store = await fixture.reopen();
    },
    put,
    remove,
    get,
    scan,
    keys,
    spaces,
  };
}
