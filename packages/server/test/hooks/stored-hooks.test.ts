import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openLevelStore } from '../../src/engines/level/store.js';
import type { Hook } from '../../src/hooks/hook.js';
import { createStoredHooks } from '../../src/hooks/stored-hooks.js';
import { randomId } from '../../src/lib/random-id.js';
import { hooksSpaceOf } from '../../src/spaces.js';

const most = 50;

function newHook(): Hook {
  const of = { id: randomId(), project: 'demo', keyId: 'k', url: 'https://example.com/' };
  return { ...of, followed: {}, createdSeconds: 1, cursor: '' };
}

test('servers that make webhooks at the same time make no more than a project may have', async () => {
  const items = await openLevelStore({ memory: true });
  try {
    const servers = Array.from({ length: 20 }, () => createStoredHooks(items));
    const made = await Promise.all(
      servers.flatMap((stored) => [1, 2, 3].map(() => stored.create(newHook()))),
    );
    const [first] = servers;
    assert.ok(first);
    const hooks = await first.list('demo');
    assert.deepEqual([made.filter((isMade) => isMade).length, hooks.length], [most, most]);

    const all: Hook[] = [];
    for await (const hook of first.all()) all.push(hook);
    assert.deepEqual(all.map(({ id }) => id).toSorted(), hooks.map(({ id }) => id).toSorted());
    assert.equal(await first.delete('demo', hooks[0]?.id ?? ''), true);
    const again = await Promise.all(servers.map((stored) => stored.create(newHook())));
    assert.equal(again.filter((isMade) => isMade).length, 1);
  } finally {
    await items.close();
  }
});

test('a server of an earlier version, which takes each row for a webhook, reads them all and sends each once', async () => {
  const items = await openLevelStore({ memory: true });
  try {
    const hook = newHook();
    assert.equal(await createStoredHooks(items).create(hook), true);
    const found: Hook[] = [];
    for await (const rows of items.scan(hooksSpaceOf('demo')))
      found.push(...rows.map(({ value }) => JSON.parse(value.toString()) as Hook));
    assert.deepEqual(
      found.filter(({ stop }) => stop === undefined),
      [hook],
    );
  } finally {
    await items.close();
  }
});
