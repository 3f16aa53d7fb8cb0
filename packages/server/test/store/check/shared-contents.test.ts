import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Store } from '../../../src/engines/store.js';
import type { CheckOptions } from '../../../src/store/check/check-options.js';
import { checkStore } from '../../../src/store/check/check-store.js';
import { createQuarantine } from '../../../src/store/check/quarantine.js';
import { findShared } from '../../../src/store/check/shared-contents.js';
import {
  bytesOf,
  drive,
  fill,
  folderStore,
  large,
  memoryStore,
  openUpload,
  servicesOver,
} from '../../support/copy-fixture.js';
import { temporaryFolder } from '../../support/run-cli.js';

const space = 'drive/demo/photos';

/** Gives a row of the drive to other keys, as if they shared its content. */
async function share({ items }: Store, from: string, ...to: string[]): Promise<void> {
  const value = await items.get(space, from);
  assert.ok(value !== undefined, from);
  const puts = to.map((key) => ({ key, value }));
  await items.transact(space, [], () => ({ puts, result: undefined }));
}

async function check(store: Store, options: Partial<CheckOptions> = {}) {
  const report = await checkStore({ ...store, clock: Date.now, orphanAgeSeconds: 0, ...options });
  // These tests put rows of files past the service, so no counter knows of them.
  return { ...report, problems: report.problems.filter(({ problem }) => !problem.startsWith('the counter')) };
}

async function repair(context: TestContext, store: Store, options: Partial<CheckOptions> = {}) {
  const quarantine = createQuarantine(await temporaryFolder(context), store.blobs, Date.now());
  return await check(store, { quarantine, ...options });
}

const names = ['small', 'empty', 'large', 'joined'];

for (const [engine, open] of [
  ['memory', memoryStore],
  ['a folder', folderStore],
] as const) {
  test(`check names files that share their bytes, and --repair gives each its own: ${engine}`, async (context) => {
    const store = await open(context);
    const services = await fill(store);
    await services.sweep();
    assert.deepEqual((await check(store)).problems, []);
    for (const name of names) await share(store, `name/${name}`, `name/${name}.2`, `name/${name}.3`);
    const found = await check(store);
    assert.deepEqual(
      found.problems.map(({ where, key }) => [where, key]).sort(),
      names.flatMap((name) => [2, 3].map((n) => [space, `name/${name}.${n}`])).sort(),
    );
    const large2 = found.problems.find(({ key }) => key === 'name/large.2');
    assert.match(large2?.problem ?? '', /^its bytes, [0-9a-f]{32}, are those of "name\/large", too/);

    const expected = new Map<string, Buffer>();
    for (const name of names) expected.set(name, await bytesOf(store, name));
    const repaired = await repair(context, store);
    assert.deepEqual([repaired.problems, repaired.separated, repaired.quarantine], [[], 8, 0]);
    const { metadata } = JSON.parse(`${await store.items.get(space, 'name/large.2')}`);
    assert.deepEqual(metadata, { camera: 'Leica M3' });
    const after = await check(store);
    assert.deepEqual([after.problems, after.separated], [[], 0]);
    await services.drives.remove(...drive, names);
    await services.sweep();
    await services.drives.remove(
      ...drive,
      names.map((name) => `${name}.3`),
    );
    await services.sweep();
    for (const name of names) assert.deepEqual(await bytesOf(store, `${name}.2`), expected.get(name));
    assert.deepEqual((await check(store)).problems, []);
  });
}

test('check names a file whose bytes a garbage row would delete, and --repair drops that row', async (context) => {
  const store = await memoryStore(context);
  const services = await fill(store);
  await services.sweep();
  for (const name of ['large', 'joined']) {
    const { id, layout } = JSON.parse(`${await store.items.get(space, `name/${name}`)}`);
    const garbage = { key: `garbage/${id}`, value: Buffer.from(JSON.stringify({ layout })), dueSeconds: 0 };
    await store.items.transact(space, [], () => ({ puts: [garbage], result: undefined }));
  }
  const found = await check(store);
  assert.deepEqual(
    found.problems.map(({ key, problem }) => `${key} ${problem}`.replaceAll(/[0-9a-f]{32}/g, 'ID')).sort(),
    ['joined', 'large'].map(
      (name) => `garbage/ID the bytes that it would delete, ID, are those of "name/${name}", too`,
    ),
  );
  const repaired = await repair(context, store);
  assert.deepEqual([repaired.problems, repaired.separated], [[], 2]);
  await services.sweep();
  assert.deepEqual(await bytesOf(store, 'large'), large('l'));
  assert.deepEqual((await check(store)).problems, []);
});

test('check --repair gives a part of an open upload its own bytes, and its End takes them', async (context) => {
  const store = await memoryStore(context);
  const services = await fill(store);
  const id = await openUpload(services, 'shared', 'v');
  await services.sweep();
  const { id: blob } = JSON.parse(`${await store.items.get(space, `part/${id}/00001`)}`);
  const value = await store.items.get(space, 'name/large');
  const file = {
    ...JSON.parse(`${value}`),
    ...JSON.parse(`${await store.items.get(space, `part/${id}/00001`)}`),
  };
  await services.drives.remove(...drive, ['large']);
  await services.sweep();
  const puts = [{ key: 'name/large', value: Buffer.from(JSON.stringify(file)) }];
  await store.items.transact(space, [], () => ({ puts, result: undefined }));
  const found = await check(store);
  assert.deepEqual(
    found.problems.map(({ key }) => key),
    [`part/${id}/00001`],
  );
  assert.deepEqual((await repair(context, store)).problems, []);
  assert.equal(await services.drives.uploads.end(...drive, 'shared', { uploadId: id }), 'ended');
  await services.drives.remove(...drive, ['large']);
  await services.sweep();
  assert.deepEqual(await bytesOf(store, 'shared'), large('v'));
  assert.ok(!(await idsOf(store)).includes(blob));
});

test('a file that is moved while it is looked at shares no bytes', async (context) => {
  const store = await memoryStore(context);
  const { drives } = await fill(store);
  let isMoved = false;
  const racing: Store = {
    ...store,
    items: {
      ...store.items,
      async *scan(...given) {
        for await (const batch of store.items.scan(...given)) {
          yield batch;
          if (isMoved || given[1]?.prefix !== 'name/') continue;
          isMoved = true;
          await drives.move(...drive, { files: [{ from: 'large', to: 'zz' }], overwrite: false });
        }
      },
    },
  };
  const shared: unknown[] = [];
  for await (const one of findShared(racing.items)) shared.push(one);
  assert.deepEqual([isMoved, shared], [true, []]);
});

test('check finds shared bytes among more contents than it keeps in memory at a time', async (context) => {
  const store = await memoryStore(context);
  const { drives } = servicesOver(store);
  for (let n = 0; n < 200; n++)
    await drives.put(...drive, `f${n}`, { source: Buffer.from(`${n}`), contentType: 'x/y' });
  for (const n of [0, 7, 150, 199]) await share(store, `name/f${n}`, `name/z${n}`);
  const found: string[] = [];
  for await (const { key, owner } of findShared(store.items, 16)) found.push(`${key} ${owner}`);
  assert.deepEqual(found.sort(), [
    'name/z0 name/f0',
    'name/z150 name/f150',
    'name/z199 name/f199',
    'name/z7 name/f7',
  ]);
});

test('check --repair leaves a file alone whose bytes are damaged, and names it', async (context) => {
  const store = await memoryStore(context);
  await (await fill(store)).sweep();
  await share(store, 'name/large', 'name/again');
  const { id } = JSON.parse(`${await store.items.get(space, 'name/large')}`);
  await store.blobs.delete([id]);
  const { problems, separated } = await repair(context, store);
  assert.equal(separated, 0);
  assert.deepEqual(problems.map(({ key }) => key).sort(), ['name/again', 'name/large', 'name/large']);
});

async function idsOf({ blobs }: Store): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of blobs.ids()) ids.push(id);
  return ids;
}
