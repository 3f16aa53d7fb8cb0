import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { launchTarget } from '../../src/target.js';
import { useService } from '../support/service.js';

const service = useService(() => launchTarget('--max-requests', '4'));

test('requests that wait for changes take the place of no other', async () => {
  const { api, target } = service;
  const root = `/v1/${target.project}`;
  const polls = Array.from({ length: 8 }, () => api.send('GET', `${root}/changes?wait=3`));
  await wait(500);
  assert.equal((await api.send('GET', `${root}/base/items/none`)).status, 404);
  for (const answer of await Promise.all(polls)) assert.ok([200, 429].includes(answer.status));
});
