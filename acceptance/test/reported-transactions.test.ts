import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply, SendOptions } from '../src/api.js';
import { type Change, type ChangesPage, changesPath } from '../src/feed.js';
import { freshBase, freshDrive, freshName, openUpload } from '../src/names.js';
import { expectErrors, expectStatus } from './support/expect.js';
import { describeOverBoth } from './support/service.js';

/** docs/http.md#the-transaction-of-a-write */
describeOverBoth('a write that asks for its transaction', (service) => {
  const send = (method: string, path: string, options: SendOptions = {}, prefer = 'tx') =>
    service.api.send(method, path, { ...options, headers: { ...options.headers, Prefer: prefer } });
  const named = ({ headers }: Reply) => headers['preference-applied'];
  const txOf = (reply: Reply, about = '') => {
    const [, tx] = /^tx=(\d+)$/.exec(String(named(reply))) ?? [];
    assert.ok(tx, `${about}: ${named(reply)}, ${reply.text}`);
    return tx;
  };

  async function cursorNow(): Promise<string> {
    const reply = await service.api.send('GET', changesPath(service.api));
    return reply.json<ChangesPage>().cursor;
  }

  /** The changes of a base and a drive with this name after a cursor, until one has this `tx`, or a later one. */
  async function until(since: string, name: string, tx: string): Promise<Change[]> {
    const found: Change[] = [];
    for (let cursor = since; ; ) {
      const parameters = { since: cursor, bases: name, drives: name, wait: 5 };
      const reply = await service.api.send('GET', changesPath(service.api, parameters));
      const page = reply.json<ChangesPage>();
      found.push(...page.changes);
      ({ cursor } = page);
      if (page.live && found.some((change) => (change.tx ?? '') >= tx)) return found;
    }
  }

  test('is answered with the tx of its changes, whatever it is', async () => {
    const name = freshName('named');
    const [base, drive] = [freshBase(service.api, name), freshDrive(service.api, name)];
    const items = `${base.root}/items`;
    const upload = await openUpload(drive, 'parts');
    await drive.part(upload, 'parts', 1, Buffer.from('x'));
    const file = (of: string) => `${drive.root}/files?name=${of}`;
    const operations = [{ put: { key: 'x' } }, { delete: { key: 'y' } }];
    const all = { query: {}, all: true };
    const writes: [string, string, SendOptions, string[]][] = [
      ['PUT', items, { json: { items: [{ key: 'a', n: 1 }, { key: 'b' }] } }, ['a', 'b']],
      ['POST', items, { json: { item: { key: 'c' } } }, ['c']],
      ['PATCH', `${items}/a`, { json: { set: { n: 2 } } }, ['a']],
      ['DELETE', `${items}/b`, {}, ['b']],
      ['POST', `${base.root}/transactions`, { json: { operations } }, ['x', 'y']],
      ['PUT', items, { json: { items: [{ key: 'i1' }, { key: 'i2' }] } }, ['i1', 'i2']],
      ['POST', `${base.root}/query/update`, { json: { ...all, set: { n: 3 } } }, ['a', 'c', 'i1', 'i2', 'x']],
      ['POST', `${base.root}/query/delete`, { json: { query: { 'key?pfx': 'i' } } }, ['i1', 'i2']],
      ['DELETE', `${items}?all=true`, {}, ['a', 'c', 'x']],
      ['POST', file('f'), { body: 'small' }, ['f']],
      ['POST', file('g'), { body: Buffer.alloc(300_000) }, ['g']],
      ['PATCH', `${drive.root}/uploads/${upload}?name=parts`, {}, ['parts']],
      ['POST', `${drive.root}/files/move`, { json: { files: [{ from: 'f', to: 'h' }] } }, ['f', 'h']],
      ['DELETE', `${drive.root}/files`, { json: { names: ['h'] } }, ['h']],
      ['DELETE', `${drive.root}/files?all=true`, {}, ['g', 'parts']],
    ];
    let before = '';
    for (const [method, path, options, keys] of writes) {
      const since = await cursorNow();
      const reply = await send(method, path, options, method === 'DELETE' ? 'respond-async, TX' : 'tx');
      assert.ok(reply.status < 300, `${method} ${path}: ${reply.text}`);
      const tx = txOf(reply, `${method} ${path}`);
      // While others write, what has been answered may be after a cursor that is made later.
      const changes = (await until(since, name, tx)).filter((change) => (change.tx ?? '') > before);
      before = tx;
      const about = `${method} ${path}: ${tx} of ${JSON.stringify(changes)}`;
      assert.equal(changes.at(-1)?.tx, tx, about);
      assert.deepEqual(changes.map(({ key, name: of }) => key ?? of).toSorted(), keys, about);
    }
  });

  test('has none if it changed nothing, failed, did not ask, or is a read', async () => {
    const base = freshBase(service.api);
    const items = `${base.root}/items`;
    const put = await send('PUT', items, { json: { items: [{ key: 'a' }] } });
    txOf(put);
    const again = await send('POST', items, { json: { item: { key: 'a' } } });
    expectErrors(again, 409);
    const nothing = await send('POST', `${base.root}/query/delete`, { json: { query: { key: 'none' } } });
    expectStatus(nothing, 200);
    const others = [await base.put({ key: 'a' }), await send('GET', `${items}/a`), again, nothing];
    // Its answer begins before its end.
    others.push(await send('PUT', items, { body: '{"key":"a"}\n', type: 'application/x-ndjson' }));
    others.push(await send('PUT', items, { json: { items: [{ key: 'a' }] } }, 'txt, return=minimal'));
    for (const reply of others) assert.equal(named(reply), undefined, reply.text);
  });

  test('is told its own transaction, among many at once', async () => {
    const name = freshName('named');
    const base = freshBase(service.api, name);
    const since = await cursorNow();
    const told = new Map<string, string>();
    await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const json = { items: [{ key: `k${n}` }] };
        if (n % 3 === 0) await service.api.send('PUT', `${base.root}/items`, { json });
        else told.set(`k${n}`, txOf(await send('PUT', `${base.root}/items`, { json })));
      }),
    );
    const last = [...told.values()].toSorted().at(-1) ?? '';
    const changes = await until(since, name, last);
    const seen = new Map(changes.map(({ key = '', tx = '' }) => [key, tx]));
    for (const [key, tx] of told) assert.equal(seen.get(key), tx, key);
  });
});
