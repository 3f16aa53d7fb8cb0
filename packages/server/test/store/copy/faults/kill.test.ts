import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openFsBlobStore } from '../../../../src/engines/fs/store.js';
import { openLevelStore } from '../../../../src/engines/level/store.js';
import type { Store } from '../../../../src/engines/store.js';
import { findShared } from '../../../../src/store/check/shared-contents.js';
import { blobsOf, drive, fill, large, putItems, rowsOf } from '../../../support/copy-fixture.js';
import { temporaryFolder } from '../../../support/run-cli.js';

const program = fileURLToPath(new URL('../../../support/killed-copy.js', import.meta.url));

async function withFolder<T>(folder: string, use: (store: Store) => Promise<T>): Promise<T> {
  const items = await openLevelStore({ folder: join(folder, 'rows'), create: true });
  try {
    return await use({ items, blobs: await openFsBlobStore(join(folder, 'blobs')) });
  } finally {
    await items.close();
  }
}

async function copyProcess(from: string, to: string, killAt?: number) {
  const child = spawn(process.execPath, [program, from, to, String(killAt ?? '')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [out, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  assert.ok(code === 0 || signal === 'SIGKILL', `exit code ${code}`);
  return { writes: Number(out), signal: signal as string | null };
}

/** Whatever row is there, its bytes are, and whole; no two rows own the same ones. */
async function assertNothingDangles(store: Store): Promise<void> {
  const blobs = await blobsOf(store);
  const shared: unknown[] = [];
  for await (const { key, owner } of findShared(store.items)) shared.push([key, owner]);
  assert.deepEqual(shared, []);
  for (const { space, key, value } of await rowsOf(store)) {
    if (!space.startsWith('drive/') || !/^(name|part)\//.test(key)) continue;
    const { id, layout, sizeBytes } = JSON.parse(value.toString());
    if (layout === 'blob') assert.equal(blobs.get(id)?.length, sizeBytes, key);
    if (layout !== 'parts') continue;
    const list = await store.items.get(space, `content/${id}`);
    const pieces = JSON.parse(list?.toString() ?? 'null') as { id: string; sizeBytes: number }[];
    for (const piece of pieces) assert.equal(blobs.get(piece.id)?.length, piece.sizeBytes, key);
  }
}

async function assertSame(from: string, to: string): Promise<void> {
  const read = (folder: string) =>
    withFolder(folder, async (store) => [await rowsOf(store), await blobsOf(store)]);
  assert.deepEqual(await read(to), await read(from));
}

async function changedSource(context: TestContext): Promise<string> {
  const source = await temporaryFolder(context);
  await withFolder(source, async (store) => await (await fill(store)).sweep());
  return source;
}

test('a copy that is killed before any of its writes continues when it is run again, and ends equal', async (context) => {
  const source = await changedSource(context);
  const whole = await copyProcess(source, await temporaryFolder(context));
  assert.equal(whole.signal, null);
  assert.ok(whole.writes > 20);

  const destination = await temporaryFolder(context);
  for (let killAt = 1; killAt < whole.writes; killAt += 5) {
    const { signal } = await copyProcess(source, destination, killAt);
    // Later ones have less to do, and may come to the end.
    if (killAt < 10) assert.equal(signal, 'SIGKILL');
    await withFolder(destination, assertNothingDangles);
  }
  assert.equal((await copyProcess(source, destination)).signal, null);
  await assertSame(source, destination);

  await withFolder(source, async (store) => {
    const { drives, sweep } = await fill(store);
    await drives.remove(...drive, ['joined', 'small']);
    const moved = { files: [{ from: 'overwritten', to: 'a' }], overwrite: false };
    await drives.move(...drive, moved);
    await drives.put(...drive, 'large', { source: large('n'), contentType: 'text/plain' });
    await putItems(store, 'more', ['x', 'y']);
    await sweep();
  });
  let kills = 0;
  for (let killAt = 2; ; killAt += 3) {
    const { signal } = await copyProcess(source, destination, killAt);
    await withFolder(destination, assertNothingDangles);
    if (signal === null) break;
    kills++;
  }
  assert.ok(kills > 3, `${kills} kills`);
  await assertSame(source, destination);
});

test('a copy that is killed before any of its first writes to an empty place is not taken for something else', async (context) => {
  const source = await changedSource(context);
  for (let killAt = 1; killAt <= 8; killAt++) {
    const destination = await temporaryFolder(context);
    assert.equal((await copyProcess(source, destination, killAt)).signal, 'SIGKILL');
    assert.equal((await copyProcess(source, destination)).signal, null, `killed at ${killAt}`);
    await assertSame(source, destination);
  }
});
