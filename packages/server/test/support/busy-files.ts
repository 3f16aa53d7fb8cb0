import { type FileRow, readRow } from '../../src/drive/rows.js';
import type { Store } from '../../src/engines/store.js';
import { RequestError } from '../../src/request-error.js';
import { drive, type Services, servicesOver } from './copy-fixture.js';

const space = `drive/${drive.join('/')}`;
const smallBytes = 30;
const largeBytes = 20_000;

/** Files of one drive that somebody moves, copies, overwrites, deletes and uploads all the time. */
export interface BusyFiles {
  /** The names that files may have now. */
  readonly names: ReadonlySet<string>;
  /** The contents that are moved and never deleted: their ids. */
  readonly kept: ReadonlySet<string>;
  readonly services: Services;
  /** Makes some changes when it is called, one after the other: the same ones for the same seed. */
  inTurn(times: number): () => Promise<void>;
}

/** Fills the drive of a store. */
export async function busyFiles(store: Store, files: number, seed: number): Promise<BusyFiles> {
  const services = servicesOver(store);
  const { drives } = services;
  const names = new Set<string>();
  const kept = new Map<string, string>();
  const replacements: string[] = [];
  const uploads: { readonly id: string; readonly name: string }[] = [];
  let state = seed;
  let written = 0;

  function below(limit: number): number {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  }
  const newName = () => `${String.fromCharCode(97 + below(26))}/${++written}`;
  const anyName = () => [...names][below(names.size)] ?? '';
  const bytes = () => Buffer.alloc(below(3) === 0 ? largeBytes : smallBytes, `${++written} `);
  const isKept = (name: string) => kept.has(name);

  async function put(name: string): Promise<void> {
    await drives.put(...drive, name, { source: bytes(), contentType: 'text/plain' });
    names.add(name);
  }

  async function move(): Promise<void> {
    const froms = new Set(Array.from({ length: 1 + below(4) }, anyName));
    const moved = [...froms].map((from) => ({ from, to: newName() }));
    await drives.move(...drive, { files: moved, overwrite: false });
    for (const { from, to } of moved) {
      names.delete(from);
      names.add(to);
      const id = kept.get(from);
      if (id === undefined) continue;
      kept.delete(from);
      kept.set(to, id);
    }
  }

  /** As who replaces a file at one moment. */
  async function moveOver(): Promise<void> {
    const written = newName();
    await put(written);
    replacements.push(written);
    if (replacements.length < 5) return;
    const [from = '', to] = [replacements.shift(), anyName()];
    if (!names.has(from) || from === to || isKept(to)) return;
    await drives.move(...drive, { files: [{ from, to }], overwrite: true });
    names.delete(from);
  }

  async function copy(): Promise<void> {
    const to = newName();
    await drives.copy(...drive, { files: [{ from: anyName(), to }], overwrite: false }, () => false);
    names.add(to);
  }

  async function overwrite(): Promise<void> {
    const name = anyName();
    if (!isKept(name)) await put(name);
  }

  async function remove(): Promise<void> {
    const removed = Array.from({ length: 1 + below(2) }, anyName).filter((name) => !isKept(name));
    await drives.remove(...drive, removed);
    for (const name of removed) names.delete(name);
    await put(newName());
  }

  async function upload(): Promise<void> {
    const name = newName();
    const id = await drives.uploads.initialize(...drive, name, { contentType: 'text/plain' });
    const part = { uploadId: id, part: 1, source: bytes(), contentType: undefined };
    await drives.uploads.part(...drive, name, part);
    uploads.push({ id, name });
    if (uploads.length < 5) return;
    const { id: uploadId, name: ended } = uploads.splice(below(uploads.length), 1)[0] ?? { id, name };
    if (below(3) === 0) await drives.uploads.abort(...drive, ended, uploadId);
    else {
      await drives.uploads.end(...drive, ended, { uploadId });
      names.add(ended);
    }
  }

  const operations = [move, move, move, moveOver, copy, overwrite, remove, upload];

  async function change(times: number): Promise<void> {
    for (let n = 0; n < times; n++) {
      try {
        await operations[below(operations.length)]?.();
      } catch (cause) {
        // A file that was chosen twice.
        if (!(cause instanceof RequestError)) throw cause;
      }
    }
    await services.sweep();
  }
  let running = Promise.resolve();

  for (let n = 0; n < files; n++) await put(newName());
  for (const name of [...names].slice(0, files / 4)) {
    const row = await store.items.get(space, `name/${name}`);
    if (row !== undefined) kept.set(name, readRow<FileRow>(row).id);
  }
  const keptIds = new Set(kept.values());
  return {
    names,
    kept: keptIds,
    services,
    inTurn: (times) => () => {
      running = running.then(() => change(times));
      return running;
    },
  };
}

const readsBetweenWork = 10;

/** The store, but `work` is done after each batch of rows that is read from it, and before some of the blobs. */
export function disturbed({ items, blobs }: Store, work: () => Promise<void>): Store {
  async function* withWork<T>(batches: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const batch of batches) {
      yield batch;
      await work();
    }
  }
  let reads = 0;
  return {
    blobs: {
      ...blobs,
      async *read(id, range) {
        if (++reads % readsBetweenWork === 0) await work();
        yield* blobs.read(id, range);
      },
    },
    items: {
      ...items,
      scan: (...given) => withWork(items.scan(...given)),
      async snapshot(name) {
        const snapshot = await items.snapshot(name);
        return { ...snapshot, scan: (range) => withWork(snapshot.scan(range)) };
      },
    },
  };
}

/** Which rows own a content in a drive: `onChange` is called after each change of the owners of a content. */
export function watchOwners(
  { items, blobs }: Store,
  onShared: (id: string, keys: readonly string[]) => void,
): Store {
  const contents = new Map<string, string>();
  const owners = new Map<string, Set<string>>();

  function forget(place: string): void {
    const id = contents.get(place);
    if (id === undefined) return;
    contents.delete(place);
    owners.get(id)?.delete(place);
  }

  function remember(place: string, id: string): void {
    contents.set(place, id);
    const known = owners.get(id) ?? new Set();
    owners.set(id, known.add(place));
  }

  return {
    blobs,
    items: {
      ...items,
      transact: async (name, keys, decide) => {
        let applied: Parameters<typeof decide> extends never ? never : ReturnType<typeof decide> | undefined;
        const result = await items.transact(name, keys, (rows) => {
          applied = decide(rows);
          return applied;
        });
        if (!name.startsWith('drive/')) return result;
        const { puts = [], deletes = [] } = applied ?? {};
        for (const key of [...deletes, ...puts.map((put) => put.key)]) forget(`${name} ${key}`);
        const changed = puts.filter(({ key }) => /^(name|part|garbage)\//.test(key));
        for (const { key, value } of changed) {
          const id = key.startsWith('garbage/') ? key.slice('garbage/'.length) : readRow<FileRow>(value).id;
          remember(`${name} ${key}`, id);
        }
        for (const { key } of changed) {
          const id = contents.get(`${name} ${key}`) ?? '';
          const all = owners.get(id) ?? new Set();
          if (all.size > 1) onShared(id, [...all]);
        }
        return result;
      },
    },
  };
}
