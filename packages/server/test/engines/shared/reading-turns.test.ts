import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ItemStore, Snapshot } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { withTurns } from '../../../src/engines/shared/reading-turns.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';

const space = 'base/demo/users';

/** A store of which two may read at the same time, or another number. While `isDown`, none can begin. */
async function open(context: TestContext, momentsAtOnce = 2) {
  const items = await openLevelStore({ memory: true });
  context.after(() => items.close());
  await items.transact(space, [], () => ({ puts: [{ key: 'a', value: Buffer.from('1') }], result: null }));
  const state = { isDown: false };
  const down = () => {
    if (state.isDown) throw new StorageUnavailable('down');
  };
  const store: ItemStore = withTurns({
    ...items,
    momentsAtOnce,
    async snapshot(...given) {
      down();
      return await items.snapshot(...given);
    },
    async *scan(...given) {
      down();
      yield* items.scan(...given);
    },
  });
  return { store, state };
}

async function keysIn(store: ItemStore, more = {}): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const rows of store.scan(space, more)) keys.push(...rows.map(({ key }) => key));
  return keys;
}

/** What has become of each so far. */
function watch(promises: readonly Promise<unknown>[]): string[] {
  const states = promises.map(() => 'waits');
  for (const [n, promise] of promises.entries())
    promise.then(
      () => {
        states[n] = 'done';
      },
      () => {
        states[n] = 'failed';
      },
    );
  return states;
}

describe('a store whose readers take turns', () => {
  test('readers wait until one of those who read has ended; what is read in one batch does not', async (context) => {
    const { store } = await open(context);
    const held = await Promise.all([store.snapshot(space), store.snapshot(space)]);
    const waiting = watch([keysIn(store), keysIn(store)]);
    assert.deepEqual(await keysIn(store, { isOneBatch: true }), ['a']);
    for (let n = 0; n < 10; n++) await nextTurn();
    assert.deepEqual(waiting, ['waits', 'waits']);
    await held[0].close();
    while (waiting.includes('waits')) await nextTurn();
    assert.deepEqual(waiting, ['done', 'done']);
    await held[1].close();
  });

  test('projects take turns, however many readers one of them has', async (context) => {
    const { store } = await open(context);
    for (const isLong of [false, true]) {
      const held = await Promise.all([store.snapshot(space), store.snapshot(space)]);
      const ended: string[] = [];
      const read = async (project: string) => {
        for await (const _ of store.scan(`base/${project}/users`, { isLong }));
        ended.push(project);
      };
      const all = [...Array(20).fill('demo'), 'other'].map(read);
      for (const { close } of held) await close();
      await Promise.all(all);
      assert.ok(ended.indexOf('other') < 5, ended.join());
    }
  });

  test('a long reader leaves a turn to others', async (context) => {
    const { store } = await open(context);
    const long = await store.snapshot(space, { isLong: true });
    const next: Promise<Snapshot> = store.snapshot(space, { isLong: true });
    const states = watch([next]);
    assert.deepEqual(await keysIn(store), ['a']);
    assert.deepEqual(states, ['waits']);
    await long.close();
    await (await next).close();
  });

  test('the long readers of a project leave a turn to those of another', async (context) => {
    const { store } = await open(context, 4);
    const read = (project: string) => store.snapshot(`base/${project}/users`, { isLong: true });
    const busy = Array.from({ length: 8 }, () => read('busy'));
    const other = read('other');
    const third = read('third');
    const states = watch([...busy, other, third]);
    for (let n = 0; n < 10; n++) await nextTurn();
    assert.equal(states.slice(0, 8).filter((state) => state === 'done').length, 2);
    assert.deepEqual(states.slice(8), ['done', 'waits']);
    // Together, too, they leave a turn to those who are not long.
    assert.deepEqual(await keysIn(store), ['a']);
    for (const snapshot of [...busy, other, third]) await (await snapshot).close();
  });

  test('when one cannot begin, all who wait are told; later ones try again', async (context) => {
    const { store, state } = await open(context);
    const held = await Promise.all([store.snapshot(space), store.snapshot(space)]);
    const waiting = watch([keysIn(store), store.snapshot(space), store.snapshot(space, { isLong: true })]);
    state.isDown = true;
    await held[0].close();
    while (waiting.includes('waits')) await nextTurn();
    assert.deepEqual(waiting, ['failed', 'failed', 'failed']);
    state.isDown = false;
    assert.deepEqual(await keysIn(store), ['a']);
    await held[1].close();
    const both = await Promise.all([store.snapshot(space), store.snapshot(space)]);
    for (const snapshot of both) await snapshot.close();
  });

  test('a scan that is left early ends its turn', async (context) => {
    const { store } = await open(context);
    for (let n = 0; n < 5; n++) for await (const _ of store.scan(space)) break;
    assert.deepEqual(await keysIn(store), ['a']);
  });
});
