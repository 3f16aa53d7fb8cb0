import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { checkStore, dataFlags, type ServerProcess, startServer } from '../../src/server-process.js';

const key = 'p_secret';
const items = 10_000;

interface Listed {
  readonly indexes: readonly { readonly state: string; readonly entries: number }[];
}

/** A server that is killed again and again while it builds and drops indexes of one base. */
async function openBase(folder: string) {
  let server: ServerProcess = await startServer(dataFlags(folder, key));

  async function send(method: string, path: string, body?: string, type = 'application/json') {
    const reply = await fetch(new URL(`/v1/p/b/${path}`, server.url), {
      method,
      headers: { 'X-API-Key': key, 'Content-Type': type },
      ...(body !== undefined && { body }),
    });
    const text = await reply.text();
    assert.ok(reply.ok, text);
    return text;
  }
  const list = async () => (JSON.parse(await send('GET', 'indexes')) as Listed).indexes;

  return {
    send,
    list,
    async killAndStart() {
      await server.kill();
      server = await startServer(dataFlags(folder, key));
    },
    async untilReady() {
      while ((await list()).some(({ state }) => state !== 'ready'));
    },
    stop: () => server.stop(),
  };
}

test('an index whose build or drop was cut off by SIGKILL is built or dropped after the restart', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-index-crash-'));
  const base = await openBase(folder);
  try {
    const lines = Array.from({ length: items }, (_, n) => `{"key":"k${n}","age":${n % 100},"u":${n}}\n`);
    await base.send('PUT', 'items', lines.join(''), 'application/x-ndjson');
    const ordered = JSON.stringify({ order: ['-age'], limit: 300 });
    const expected = await base.send('POST', 'query', ordered);

    await base.send('PUT', 'indexes/i', '{"fields":["age"]}');
    let cutOff = 0;
    for (let kill = 0; kill < 3; kill++) {
      let [index] = await base.list();
      while (index?.state === 'building' && index.entries === 0) [index] = await base.list();
      if (index?.state === 'building') cutOff++;
      await base.killAndStart();
    }
    context.diagnostic(`${cutOff} builds were cut off`);
    assert.ok(cutOff > 0, 'no build was cut off');
    await base.untilReady();
    assert.equal((await base.list())[0]?.entries, items);
    assert.equal(await base.send('POST', 'query', ordered), expected);

    await base.send('DELETE', 'indexes/i');
    await base.killAndStart();
    assert.deepEqual(await base.list(), []);
    assert.equal(await base.send('POST', 'query', ordered), expected);
    // The new index has no entries of the old one.
    await base.send('PUT', 'indexes/i', '{"fields":["age"]}');
    await base.untilReady();
    assert.equal((await base.list())[0]?.entries, items);
    assert.equal(await base.send('POST', 'query', ordered), expected);

    await base.send('PUT', 'indexes/one', '{"fields":["u"],"unique":true}');
    for (let kill = 0; kill < 2; kill++) {
      let index = (await base.list())[1];
      while (index?.state === 'building' && index.entries === 0) index = (await base.list())[1];
      await base.killAndStart();
    }
    await base.untilReady();
    assert.equal((await base.list())[1]?.entries, items);
    await assert.rejects(base.send('PUT', 'items', '{"items":[{"key":"other","u":5000}]}'), /not_unique/);
    await base.send('PUT', 'items', '{"items":[{"key":"k5000","u":5000,"age":1},{"key":"other","u":-1}]}');
    const { base: size } = JSON.parse(await base.send('GET', 'stats')) as {
      base: { items: number; exact: boolean };
    };
    assert.deepEqual([size.items, size.exact], [items + 1, true]);
  } finally {
    await base.stop();
  }
  assert.deepEqual(await checkStore(['--data', folder]), []);
  await rm(folder, { recursive: true });
});
