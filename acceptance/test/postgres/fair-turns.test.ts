import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type Api, createApi } from '../../src/api.js';
import { dataFlags, runCommand, startServer } from '../../src/server-process.js';
import { startPostgres } from '../../src/services/postgres.js';

const busyKey = 'busy_0123456789';
const otherKey = 'other_0123456789';
/** Each has up to 256 requests in progress. */
const senders = 6;
const writers = 256 * senders;
/** How many requests the other project sends, one after the other. */
const sent = 15;
const items = 10_000;
/** How many clients send long queries. */
const readers = 64;
/** Each of them waits for all the others. */
const timeoutMs = 120_000;

/** A server on a PostgreSQL, with as many clients of the project `busy`, and one of `other`. */
async function start(
  context: TestContext,
  clients: number,
): Promise<{ readonly busy: Api[]; readonly other: Api }> {
  const postgres = await startPostgres();
  context.after(() => postgres.stop());
  const url = await postgres.createDatabase('fair');
  await runCommand(['migrate', '--items', url]);
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-fair-'));
  context.after(() => rm(folder, { recursive: true }));
  const server = await startServer([...dataFlags(folder, busyKey), '--key', otherKey, '--items', url]);
  context.after(() => server.stop());
  const target = { url: server.url, project: 'busy', key: busyKey, otherKey, close: async () => {} };
  const busy = Array.from({ length: clients }, () => createApi(target, timeoutMs));
  const other = createApi({ ...target, project: 'other', key: otherKey });
  context.after(() => {
    for (const api of [...busy, other]) api.close();
  });
  return { busy, other };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number;
}

test('parallel writers of a project, each to a base of its own, keep another project waiting for few of them', async (context) => {
  const { busy, other } = await start(context, senders);
  const put = async (api: Api, project: string, base: string) => {
    const { status } = await api.send('PUT', `/v1/${project}/${base}/items`, { json: { items: [{ n: 1 }] } });
    // On a busy machine, some of so many wait in vain.
    assert.ok(status === 207 || (status === 503 && project === 'busy'), String(status));
  };
  await put(other, 'other', 'items');

  let answered = 0;
  let isOver = false;
  let onConnected = () => {};
  /** By then, all of them are connected. */
  const connected = new Promise<void>((resolve) => {
    onConnected = resolve;
  });
  const load = Array.from({ length: writers }, async (_, n) => {
    while (!isOver) {
      await put(busy[n % senders] as Api, 'busy', `b${n}`);
      if (++answered === 2 * writers) onConnected();
    }
  });
  await Promise.race([connected, Promise.all(load)]);
  const overtaken: number[] = [];
  for (let n = 0; n < sent; n++) {
    const before = answered;
    await put(other, 'other', 'items');
    overtaken.push(answered - before);
  }
  isOver = true;
  await Promise.all(load);
  context.diagnostic(`answered to the ${writers} during a put of another project: ${overtaken.join(', ')}`);
  assert.ok(median(overtaken) < writers / 3, overtaken.join());
});

test('parallel ordered queries of a project keep one of another project waiting for at most one of them', async (context) => {
  const { busy, other } = await start(context, 1);
  const [api] = busy as [Api];
  const lines = Array.from({ length: items }, (_, n) =>
    JSON.stringify({ key: `k${n}`, text: `${(n * 7919) % items} `.repeat(20) }),
  );
  const type = 'application/x-ndjson';
  const stored = await api.send('PUT', '/v1/busy/items/items', { body: lines.join('\n'), type });
  assert.equal(stored.status, 200);
  const put = await other.send('PUT', '/v1/other/items/items', { json: { items: [{ text: 'x' }] } });
  assert.equal(put.status, 207);
  const query = async (api: Api, project: string) => {
    const json = { order: ['text'], limit: 1000 };
    const { status } = await api.send('POST', `/v1/${project}/items/query`, { json });
    assert.equal(status, 200);
  };

  for (const isIndexed of [false, true]) {
    if (isIndexed) {
      const path = '/v1/busy/items/indexes/by-text';
      await api.send('PUT', path, { json: { fields: ['text'] } });
      while (!(await api.send('GET', '/v1/busy/items/indexes')).text.includes('"ready"')) await wait(10);
    }
    let answered = 0;
    let isOver = false;
    let onBegun = () => {};
    const begun = new Promise<void>((resolve) => {
      onBegun = resolve;
    });
    const load = Array.from({ length: readers }, async () => {
      while (!isOver) {
        await query(api, 'busy');
        answered++;
        onBegun();
      }
    });
    await Promise.race([begun, Promise.all(load)]);
    const overtaken: number[] = [];
    for (let n = 0; n < sent; n++) {
      const before = answered;
      await query(other, 'other');
      overtaken.push(answered - before);
    }
    isOver = true;
    await Promise.all(load);
    const how = isIndexed ? 'with an index' : 'without an index';
    context.diagnostic(`answered to the ${readers} during a query of another project, ${how}: ${overtaken}`);
    assert.ok(median(overtaken) <= 1, `${how}: ${overtaken}`);
  }
});
