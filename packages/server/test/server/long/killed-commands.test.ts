import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Store } from '../../../src/engines/store.js';
import { backupOperations } from '../../../src/server/control/backup-operation.js';
import { copyOperations } from '../../../src/server/control/copy-operation.js';
import type { BackupReport } from '../../../src/store/backup/report.js';
import type { CopyReport } from '../../../src/store/copy/report.js';
import { drive, folderStore, large, memoryStore, servicesOver } from '../../support/copy-fixture.js';
import { createGate } from '../../support/gate.js';
import { temporaryFolder } from '../../support/run-cli.js';

/** A store with a large file, whose bytes are read only when the gate is open. */
async function heldSource(context: TestContext) {
  const store = await memoryStore(context);
  await servicesOver(store).drives.put(...drive, 'large', { source: large('l'), contentType: 'x/y' });
  const [reached, gate] = [createGate(), createGate()];
  const source: Store = {
    ...store,
    blobs: {
      ...store.blobs,
      async *read(id, range) {
        const isOfStore = await has(store, id);
        if (isOfStore) {
          reached.open();
          await gate.passed;
        }
        yield* store.blobs.read(id, range);
      },
    },
  };
  return { source, reached: reached.passed, open: gate.open };
}

async function has({ blobs }: Store, wanted: string): Promise<boolean> {
  for await (const { id } of blobs.ids()) if (id === wanted) return true;
  return false;
}

async function heldBackups(context: TestContext) {
  const { source, reached, open } = await heldSource(context);
  const { backup } = backupOperations(source, { environment: {}, holdGarbage: () => () => {} });
  const to = await temporaryFolder(context);
  const call = (signal: AbortSignal) => {
    const input = { to, keepMs: undefined, verify: false, variables: {} };
    return backup?.(input, { progress: () => {}, signal }) as Promise<BackupReport>;
  };
  return { call, reached, open };
}

test('a backup after one whose command was killed waits until that one has ended, and is made', async (context) => {
  const { call, reached, open } = await heldBackups(context);
  const killed = new AbortController();
  const first = call(killed.signal);
  first.catch(() => {});
  await reached;
  killed.abort();
  const second = call(new AbortController().signal);
  const third = assert.rejects(call(new AbortController().signal), { message: /already/ });
  open();
  await assert.rejects(first, { message: /^The backup was ended before it was complete/ });
  assert.deepEqual([(await second).blobs, (await second).problemCount], [1, 0]);
  await third;
});

test('a backup beside one that is being made is refused', async (context) => {
  const { call, reached, open } = await heldBackups(context);
  const { signal } = new AbortController();
  const first = call(signal);
  await reached;
  await assert.rejects(call(signal), { message: 'The server is making a backup already' });
  open();
  assert.equal((await first).blobs, 1);
  assert.equal((await call(signal)).blobsCopied, 0);
});

test('a copy to a folder after one whose command was killed waits until that one has ended', async (context) => {
  const { source, reached, open } = await heldSource(context);
  const parts = { blobs: undefined, environment: {}, holdGarbage: () => () => {} };
  const { copy } = copyOperations(source, parts);
  const to = { dataFolder: await temporaryFolder(context) };
  const call = (signal: AbortSignal) => {
    const input = { from: {}, to, overwrite: false, verify: false, variables: {} };
    return copy?.(input, { progress: () => {}, signal }) as Promise<CopyReport>;
  };
  const killed = new AbortController();
  const first = call(killed.signal);
  first.catch(() => {});
  await reached;
  killed.abort();
  const second = call(new AbortController().signal);
  let refused: unknown;
  second.catch((cause) => {
    refused = cause;
  });
  // Opening other folders takes longer than to find that one is in use.
  for (let n = 0; n < 3; n++) await folderStore(context);
  assert.equal(refused, undefined);
  open();
  await assert.rejects(first, { message: /^The copy was ended before it was done/ });
  assert.deepEqual([(await second).blobsCopied, (await second).problemCount], [1, 0]);
});
