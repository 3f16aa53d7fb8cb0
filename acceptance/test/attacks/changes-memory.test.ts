import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApi } from '../../src/api.js';
import { type ChangesPage, changesPath, type FeedStream, openFeed } from '../../src/feed.js';
import { freshBase } from '../../src/names.js';
import { openSocket } from '../../src/open-socket.js';
import { ownKey, ownOtherKey } from '../../src/target.js';
import { patienceMs, withHeap } from '../support/small-heap.js';

const accept = 'application/x-ndjson';

test('readers who are far back and read nothing do not end a server with a heap of 256 MiB', async () => {
  await withHeap(256, async ({ api }) => {
    const { root, get } = freshBase(api);
    const { cursor } = (await api.send('GET', changesPath(api))).json<ChangesPage>();
    const bases = decodeURIComponent(root.split('/').at(-1) ?? '');
    for (let row = 0; row < 8; row++) {
      const lines = Array.from({ length: 4000 }, (_, n) => `{"key":"${`${row}-${n}-`.padEnd(1000, 'k')}"}\n`);
      const reply = await api.send('PUT', `${root}/items`, { body: lines.join(''), type: accept });
      assert.equal(reply.status, 200, reply.text);
    }
    const readers = await Promise.all(
      Array.from({ length: 60 }, () => openFeed(api, changesPath(api, { since: cursor, bases }), { accept })),
    );
    for (const { status } of readers) assert.equal(status, 200);
    for (let n = 0; n < 100; n++) assert.equal((await get('k')).status, 404);
    // One who reads gets all of it.
    const [reader] = readers;
    let changes = 0;
    for (;;) {
      const { value } = await (reader as FeedStream).lines.next();
      if (value.startsWith('{"base"')) changes++;
      if (value.endsWith('"live":true}')) break;
    }
    assert.equal(changes, 8 * 4000);
    for (const { cut } of readers) cut();
  });
});

test('large queries that are followed do not end it either, and leave room for others', async () => {
  await withHeap(256, async ({ api }) => {
    const query = `{"a":[${Array(9000).fill('{}').join()}]}`;
    const head = [
      `GET /v1/${api.target.project}/changes?query=${query} HTTP/1.1`,
      'Host: x',
      `X-API-Key: ${ownKey}`,
      `Accept: ${accept}`,
    ];
    const followers = await Promise.all(Array.from({ length: 150 }, () => openSocket(api.target)));
    const answered = followers.map((socket) => new Promise((resolve) => socket.once('data', resolve)));
    for (const socket of followers) socket.on('error', () => {});
    for (const socket of followers) socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await Promise.race(answered);
    const other = createApi({ ...api.target, key: ownOtherKey, project: 'other' }, patienceMs);
    const large = `{"query":{"a":[${Array(100_000).fill('{}').join()}]}}`;
    for (let n = 0; n < 3; n++)
      assert.equal((await freshBase(other).sendText('POST', '/query', large)).status, 200);
    other.close();
    for (const socket of followers) socket.destroy();
  });
});
