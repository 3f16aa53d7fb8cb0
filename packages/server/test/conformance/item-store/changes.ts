import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ChangeLog, readLogValue } from '../../../src/engines/change-log.js';
import type { Change } from '../../../src/engines/item-store.js';
import { type OpenedStore, space } from './opened-store.js';

const log = 'changes/demo';
const otherSpace = 'base/demo/others';
const rules = {
  notedRows: (of: string) =>
    of === space || of === otherSpace ? { log, isNoted: (key: string) => key >= '\u0001' } : undefined,
  clock: () => 1_700_000_000_500,
  generation: '00000001',
};

/** Each commit is noted once, in the order of the commits, and never after a reader has passed its place. */
export function changeTests(opened: OpenedStore): void {
  const { put, remove } = opened;

  async function keep(): Promise<ChangeLog> {
    const found = await opened.store.keepChanges?.(rules);
    assert.ok(found);
    return found;
  }

  /** The notes before `complete`, from a key on. */
  async function notes(from: string, to: string): Promise<Record<string, readonly string[]>[]> {
    const rows = await opened.scan({ gte: from, lt: to }, log);
    return rows.map(({ value }) => {
      const { atSeconds, keys } = readLogValue(value);
      assert.equal(atSeconds, 1_700_000_000);
      return Object.fromEntries(Object.entries(keys).map(([of, list]) => [of, [...new Set(list)]]));
    });
  }

  /**
   * The notes from a key on, once `isWhole` says that all are there. On rows that others share, a transaction that began
   * before may still be in progress, even one of another database. Otherwise they are there at once.
   */
  async function notesOnce(
    { complete }: ChangeLog,
    from: string,
    isWhole: (found: Awaited<ReturnType<typeof notes>>) => boolean,
  ) {
    for (;;) {
      const found = await notes(from, await complete());
      if (isWhole(found) || !opened.store.isShared) return found;
      await nextTurn();
    }
  }

  test('what is put and deleted is noted, in the order of the commits; nothing else is', async () => {
    await put('before', 'x');
    const changes = await keep();
    const begin = await changes.complete();
    await put('a', '1');
    await put('\0entry', '');
    await put('a', 'x', { space: 'drive/demo/pictures' });
    await put('b', '2', { space: otherSpace, dueSeconds: 5 });
    await remove('a');
    await remove('none');
    await opened.store.transact(space, ['a', 'c'], () => ({
      puts: [
        { key: 'c', value: Buffer.from('1') },
        { key: 'd', value: Buffer.from('1') },
      ],
      deletes: ['a'],
      result: null,
    }));
    assert.deepEqual(await notesOnce(changes, begin, ({ length }) => length >= 5), [
      { [space]: ['a'] },
      { [otherSpace]: ['b'] },
      { [space]: ['a'] },
      { [space]: ['none'] },
      { [space]: ['c', 'd', 'a'] },
    ]);
  });

  test('a change that is refused is not noted', async () => {
    const { complete } = await keep();
    const begin = await complete();
    await assert.rejects(
      opened.store.transact(space, ['a'], () => {
        throw new Error('refused');
      }),
      /refused/,
    );
    await opened.store.transact(space, ['a'], () => ({ result: null }));
    assert.deepEqual(await notes(begin, await complete()), []);
  });

  test('whoever asks is told the key of the row that notes a change, and nobody who changes nothing of it', async () => {
    const changes = await keep();
    const begin = await changes.complete();
    const told: string[] = [];
    const change = async (change: Omit<Change<null>, 'result'>, keys: readonly string[] = []) => {
      let key = '';
      const onNoted = (of: string) => {
        key = of;
      };
      await opened.store.transact(space, keys, () => ({ ...change, onNoted, result: null }));
      told.push(key);
    };
    const row = (key: string) => ({ key, value: Buffer.from('x') });
    await change({ puts: [row('a')] });
    await change({ deletes: ['a'] });
    await change({ puts: [row('b'), row('c')], deletes: ['a'] });
    await change({ puts: [row('b')], deletes: ['none'] }, ['b', 'none']);
    await change({ puts: [row('\0entry')] });
    await change({}, ['b']);
    await Promise.all([change({ puts: [row('d')] }), put('e', 'x'), put('f', 'x')]);
    const isNoted = (found: Awaited<ReturnType<typeof notes>>) =>
      found.some((keys) => keys[space]?.includes('d'));
    await notesOnce(changes, begin, isNoted);
    const rows = await opened.scan({ gte: begin, lt: await changes.complete() }, log);
    const keysIn = new Map(rows.map(({ key, value }) => [key, readLogValue(value).keys[space]]));
    const of = told.map((key) => keysIn.get(key));
    assert.deepEqual(of.slice(0, 6), [['a'], ['a'], ['b', 'c', 'a'], ['b', 'none'], undefined, undefined]);
    assert.ok(of[6]?.includes('d'));
  });

  test('what was acknowledged is complete, and nothing comes before what was complete', async () => {
    const changes = await keep();
    const { complete } = changes;
    let from = await complete();
    const seen = new Set<string>();
    let isOver = false;
    const reading = (async () => {
      for (;;) {
        const wasOver = isOver;
        const to = await complete();
        assert.ok(to >= from);
        for (const keys of await notes(from, to)) for (const key of Object.values(keys).flat()) seen.add(key);
        from = to;
        if (wasOver && (seen.size === 320 || !opened.store.isShared)) return;
        // A store in memory answers without a turn of the event loop, for which a writer may be waiting.
        await nextTurn();
      }
    })();
    const spaces = [space, otherSpace];
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let n = 0; n < 40; n++) {
          const key = `${writer}-${n}`;
          await put(key, 'x', { space: spaces[n % 2] as string });
          if (n % 3 === 0) {
            const isThere = (found: Awaited<ReturnType<typeof notes>>) =>
              found.some((keys) => Object.values(keys).flat().includes(key));
            assert.ok(isThere(await notesOnce(changes, '0', isThere)), key);
          }
        }
      }),
    );
    isOver = true;
    await reading;
    assert.equal(seen.size, 320);
  });
}
