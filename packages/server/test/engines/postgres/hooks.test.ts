import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import type { Hook } from '../../../src/hooks/hook.js';
import { createStoredHooks } from '../../../src/hooks/stored-hooks.js';
import { randomId } from '../../../src/lib/random-id.js';
import { freshDatabase, withStoresAt } from '../../support/postgres-databases.js';

const most = 50;

let postgres: TestPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

function newHook(): Hook {
  const of = { id: randomId(), project: 'demo', keyId: 'k', url: 'https://example.com/' };
  return { ...of, followed: {}, createdSeconds: 1, cursor: '' };
}

test('servers that make webhooks at the same time make no more than a project may have', async () => {
  const { url } = await freshDatabase(postgres);
  await withStoresAt([url, url], async (stores) => {
    const servers = Array.from({ length: 10 }, () => stores.map(createStoredHooks)).flat();
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
    // Earlier versions take every row for a webhook.
    for await (const rows of stores[0]!.scan('hooks/demo')) assert.equal(rows.length, most);
    assert.equal(await first.delete('demo', hooks[0]?.id ?? ''), true);
    const again = await Promise.all(servers.map((stored) => stored.create(newHook())));
    assert.equal(again.filter((isMade) => isMade).length, 1);
  });
});
