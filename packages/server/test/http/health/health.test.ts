import assert from 'node:assert/strict';
import { beforeEach, describe, mock, test } from 'node:test';
import type { BlobStore } from '../../../src/engines/blob-store.js';
import type { ItemStore } from '../../../src/engines/item-store.js';
import { openLevelStore } from '../../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../../src/engines/memory/blob-store.js';
import { StorageUnavailable } from '../../../src/engines/storage-errors.js';
import { createReadiness } from '../../../src/http/health/readiness.js';
import type { Answer } from '../../../src/http/requests/call.js';
import type { Log } from '../../../src/lib/log.js';

type State = 'well' | 'away' | 'hangs';

describe('GET /ready', () => {
  let rows: State;
  let bytes: State;
  let nowMs: number;
  let asked: number;
  let logged: string[];
  let items: ItemStore;
  let blobs: BlobStore;

  beforeEach(async () => {
    [rows, bytes, nowMs, asked, logged] = ['well', 'well', 0, 0, []];
    const store = await openLevelStore({ memory: true });
    items = {
      ...store,
      async get(space, key) {
        asked++;
        await behave(rows);
        return await store.get(space, key);
      },
    };
    const memory = openMemoryBlobStore();
    blobs = {
      ...memory,
      async *read(id) {
        await behave(bytes);
        yield* memory.read(id);
      },
    };
  });

  async function behave(state: State): Promise<void> {
    if (state === 'away') throw new StorageUnavailable('away');
    if (state === 'hangs') await new Promise(() => {});
  }

  function open(): () => Promise<Answer> {
    const log = {
      error: ({ err }: { readonly err: Error }, message: string) =>
        logged.push(`${message} (${err.message})`),
      info: (_fields: unknown, message: string) => logged.push(message),
    } as unknown as Pick<Log, 'error' | 'info'>;
    const readiness = createReadiness(items, blobs, { log, monotonicMs: () => nowMs });
    return async () => await readiness();
  }

  test('answers 503 and names the store while one does not answer, and 200 again afterwards', async () => {
    const ready = open();
    assert.equal((await ready()).status, 200);
    for (const [states, message] of [
      [['away', 'well'], 'The item store does not answer'],
      [['well', 'away'], 'The blob store does not answer'],
    ] as const) {
      [rows, bytes] = states;
      nowMs += 1000;
      const answer = await ready();
      assert.equal(answer.status, 503);
      assert.deepEqual(JSON.parse(String(answer.body)), {
        errors: [message],
        codes: [{ code: 'not_ready' }],
      });
      assert.ok(answer.headers.includes('Retry-After'));
      [rows, bytes] = ['well', 'well'];
      nowMs += 1000;
      assert.equal((await ready()).status, 200);
    }
  });

  test('while the rows take no write, answers 503 with the reason, which the log has once', async () => {
    const ready = open();
    let cause: StorageUnavailable | undefined = new StorageUnavailable('The disk, of which nobody hears', {
      reason: 'the disk is full',
    });
    items = {
      ...items,
      async ready() {
        if (cause !== undefined) throw cause;
      },
    };
    const readyNow = open();
    assert.equal((await ready()).status, 200);
    for (let count = 0; count < 3; count++, nowMs += 1000) {
      const answer = await readyNow();
      assert.equal(answer.status, 503);
      const { errors } = JSON.parse(String(answer.body)) as { errors: string[] };
      assert.deepEqual(errors, ['The rows cannot be written: the disk is full']);
    }
    cause = undefined;
    assert.equal((await readyNow()).status, 200);
    assert.deepEqual(logged, [
      'not ready: The rows cannot be written: the disk is full (The disk, of which nobody hears)',
      'ready again',
    ]);
  });

  test('an answer is reused for a second, and a probe in progress is shared', async () => {
    const ready = open();
    await Promise.all([ready(), ready(), ready()]);
    nowMs += 999;
    await ready();
    assert.equal(asked, 1);
    nowMs += 1;
    await ready();
    assert.equal(asked, 2);
  });

  test('a store that hangs is reported within two seconds, at once to later callers, and is probed once', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const ready = open();
      rows = 'hangs';
      const first = ready();
      mock.timers.tick(2000);
      assert.equal((await first).status, 503);
      nowMs += 5000;
      const later = ready();
      mock.timers.tick(1);
      assert.equal((await later).status, 503);
      assert.equal(asked, 1);
    } finally {
      mock.timers.reset();
    }
  });
});
