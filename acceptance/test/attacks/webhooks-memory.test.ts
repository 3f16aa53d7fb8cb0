import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createApi } from '../../src/api.js';
import { whyNoControlGroup } from '../../src/control-group.js';
import { type ChangesPage, changesPath } from '../../src/feed.js';
import { freshBase } from '../../src/names.js';
import { ownOtherKey } from '../../src/target.js';
import { inContainer } from '../support/small-container.js';

const webhooks = 50;
const items = 20;
/** In memory a character of it takes two bytes. */
const text = '\u20ac'.repeat(100_000);
const answerAfterMs = 2000;
const type = 'application/json';
const skip = whyNoControlGroup() ?? false;

test('50 webhooks of each of two projects with large items, whose receivers are slow, do not end a server in 256 MiB', {
  skip,
}, async () => {
  let messages = 0;
  const receiver = createServer((request, response) => {
    messages++;
    request.resume();
    setTimeout(() => response.writeHead(204).end(), answerAfterMs);
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  try {
    const options = ['--hook-networks', '127.0.0.0/8', '--key', ownOtherKey];
    await inContainer(options, async (_, target) => {
      const apis = [createApi(target), createApi({ ...target, key: ownOtherKey, project: 'other' })];
      for (const api of apis) {
        const { root } = freshBase(api);
        const { cursor } = (await api.send('GET', changesPath(api))).json<ChangesPage>();
        for (let n = 0; n < items; n++) {
          const body = JSON.stringify({ items: [{ key: `k${n}`, text }] });
          assert.equal((await api.send('PUT', `${root}/items`, { body, type })).status, 207);
        }
        for (let n = 0; n < webhooks; n++) {
          const body = JSON.stringify({ url, since: cursor });
          const path = `/v1/${api.target.project}/hooks`;
          assert.equal((await api.send('POST', path, { body, type })).status, 201);
        }
      }
      while (messages < webhooks / 2) {
        for (const api of apis) assert.equal((await freshBase(api).get('k1')).status, 404);
        await pause(50);
      }
      for (const api of apis) api.close();
    });
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});
