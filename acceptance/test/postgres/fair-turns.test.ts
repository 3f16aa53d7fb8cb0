import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createApi } from '../../src/api.js';
import { dataFlags, runCommand, startServer } from '../../src/server-process.js';
import { startPostgres } from '../../src/services/postgres.js';

const busyKey = 'busy_0123456789';
const otherKey = 'other_0123456789';
/** Each has up to 256 requests in progress. */
const senders = 6;
const writers = 256 * senders;
const puts = 15;

test('parallel writers of a project, each to a base of its own, keep another project waiting for few of them', async (context) => {
  const postgres = await startPostgres();
  context.after(() => postgres.stop());
  const url = await postgres.createDatabase('fair');
  await runCommand(['migrate', '--items', url]);
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-fair-'));
  context.after(() => rm(folder, { recursive: true }));
  const server = await startServer([...dataFlags(folder, busyKey), '--key', otherKey, '--items', url]);
  context.after(() => server.stop());
  const target = { url: server.url, project: 'busy', key: busyKey, otherKey, close: async () => {} };
  const busy = Array.from({ length: senders }, () => createApi(target));
  const other = createApi({ ...target, project: 'other', key: otherKey });
  context.after(() => {
    for (const api of [...busy, other]) api.close();
  });
  const put = async (api: typeof other, project: string, base: string) => {
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
      await put(busy[n % senders] as typeof other, 'busy', `b${n}`);
      if (++answered === 2 * writers) onConnected();
    }
  });
  await Promise.race([connected, Promise.all(load)]);
  const overtaken: number[] = [];
  for (let n = 0; n < puts; n++) {
    const before = answered;
    await put(other, 'other', 'items');
    overtaken.push(answered - before);
  }
  isOver = true;
  await Promise.all(load);
  overtaken.sort((a, b) => a - b);
  context.diagnostic(`answered to the ${writers} during a put of another project: ${overtaken.join(', ')}`);
  assert.ok((overtaken[Math.floor(puts / 2)] as number) < writers / 3, overtaken.join());
});
