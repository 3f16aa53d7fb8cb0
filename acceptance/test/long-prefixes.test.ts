import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ChangesPage, changesPath } from '../src/feed.js';
import { type Base, freshBase, freshDrive } from '../src/names.js';
import { expectJson, expectStatus } from './support/expect.js';
import { describeOverBoth } from './support/service.js';

/** No key and no name is longer than 1024 bytes. */
describeOverBoth('prefixes that no key can have', (service) => {
  const prefixes = ['a'.repeat(1025), 'a'.repeat(200_000), '\u{10ffff}'.repeat(200_000)];

  async function filled(): Promise<Base> {
    const base = freshBase(service.api);
    expectStatus(await base.put({ key: 'a'.repeat(1024) }, { key: '\u{10ffff}' }), 207);
    return base;
  }
  const sent = (base: Base, method: string, path: string, body: object) =>
    base.sendText(method, path, JSON.stringify(body));

  test('are those of no item: in a query, a count, a change and a delete by query', async () => {
    const base = await filled();
    for (const prefix of prefixes) {
      const query = { 'key?pfx': prefix };
      expectJson(await base.query({ query }), 200, { paging: { size: 0 }, items: [] });
      expectJson(await base.query({ query, order: ['a'], count: true }), 200, {
        paging: { size: 0, total: 0 },
        items: [],
      });
      expectJson(await sent(base, 'POST', '/query/count', { query }), 200, { count: 0 });
      const update = await sent(base, 'POST', '/query/update', { query, set: { a: 1 } });
      expectStatus(update, 200);
      const deletion = await sent(base, 'POST', '/query/delete', { query });
      expectStatus(deletion, 200);
    }
    expectJson(await sent(base, 'POST', '/query/count', {}), 200, { count: 2 });
  });

  test('are those of no item in a condition of an update and of a transaction', async () => {
    const base = await filled();
    for (const prefix of prefixes) {
      const query = { 'key?pfx': prefix };
      expectStatus(await base.update('\u{10ffff}', { if: query, set: { a: 1 } }), 412);
      expectStatus(await base.transact({ delete: { key: '\u{10ffff}', if: query } }), 412);
    }
  });

  test('are those of no change and of no file', async () => {
    const base = await filled();
    const drive = freshDrive(service.api);
    expectStatus(await drive.put('a', 'one'), 201);
    const bases = decodeURIComponent(base.root.split('/').at(-1) ?? '');
    const long = 'a'.repeat(20_000);
    const asked: Record<string, string>[] = [
      { prefix: long },
      { query: JSON.stringify({ 'key?pfx': long }) },
    ];
    for (const parameters of asked) {
      const reply = await service.api.send(
        'GET',
        changesPath(service.api, { since: '0', bases, ...parameters }),
      );
      expectStatus(reply, 200);
      assert.deepEqual(reply.json<ChangesPage>().changes, []);
    }
    expectJson(await drive.list({ prefix: long }), 200, { names: [] });
    expectJson(await drive.list({ prefix: long, recursive: 'false' }), 200, { names: [] });
  });
});
