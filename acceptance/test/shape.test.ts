import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Reply } from '../src/api.js';
import { type Base, freshBase, freshName } from '../src/names.js';
import { expectErrors, expectStatus } from './support/expect.js';
import { createKey } from './support/keys.js';
import { describeOverBoth } from './support/service.js';

interface Message {
  readonly key?: string;
  readonly value?: unknown;
  readonly headers: {
    readonly operation?: string;
    readonly txids?: readonly number[];
    readonly control?: string;
    readonly xmin?: string;
    readonly xmax?: string;
  };
}

/** What unmodified clients make of it: packages/client/test/feed/long/electric.test.ts. */
describeOverBoth('the shape of a base', (service) => {
  const nameOf = ({ root }: Base) => decodeURIComponent(root.split('/').at(-1) ?? '');

  const ask = (parameters: Record<string, string>, options = {}) => {
    const { api } = service;
    return api.send('GET', `/v1/${api.target.project}/shape?${new URLSearchParams(parameters)}`, options);
  };
  const read = (reply: Reply) => {
    expectStatus(reply, 200);
    return reply.json<Message[]>();
  };
  /** The parameters of the request after an answer. */
  const after = ({ headers }: Reply) => ({
    offset: String(headers['electric-offset']),
    handle: String(headers['electric-handle']),
    cursor: String(headers['electric-cursor']),
  });
  const upToDate = { headers: { control: 'up-to-date' } };
  const insertion = (value: { key: string }) => ({
    key: value.key,
    value,
    headers: { operation: 'insert' },
  });
  const deletion = (key: string, ...txids: number[]) => ({
    key,
    value: { key },
    headers: { operation: 'delete', ...(txids.length > 0 && { txids }) },
  });
  /** The control message with which a snapshot ends, of this number. */
  const snapshotEnd = (messages: readonly Message[]) => {
    const found = messages.find(({ headers }) => headers.control === 'snapshot-end');
    const { xmin, xmax } = found?.headers ?? {};
    assert.match(String(xmin), /^[1-9]\d*$/);
    assert.deepEqual(found, { headers: { control: 'snapshot-end', xmin, xmax: xmin, xip_list: [] } });
    assert.equal(xmax, xmin);
    return found as Message;
  };
  /** The number of the transaction of a write. */
  const write = async (method: string, path: string, json?: object): Promise<number> => {
    const reply = await service.api.send(method, path, { ...(json && { json }), headers: { Prefer: 'tx' } });
    const [, tx] = /^tx=(\d+)$/.exec(String(reply.headers['preference-applied'])) ?? [];
    assert.ok(tx, reply.text);
    return Number(tx);
  };

  test('begins with all items, goes on with what changes, and waits for it', async () => {
    const base = freshBase(service.api);
    const table = nameOf(base);
    await base.put({ key: 'a', n: 1 }, { key: 'b', list: [1, { x: null }] });
    const first = await ask({ table, offset: '-1' });
    assert.deepEqual(read(first), [
      insertion({ key: 'a', ...{ n: 1 } }),
      insertion({ key: 'b', ...{ list: [1, { x: null }] } }),
      snapshotEnd(read(first)),
      upToDate,
    ]);
    assert.equal(first.headers['electric-up-to-date'], 'true');
    assert.deepEqual(JSON.parse(String(first.headers['electric-schema'])), {
      key: { type: 'text', not_null: true, pk_index: 0 },
    });

    const removed = await write('DELETE', `${base.root}/items/a`);
    const second = await ask({ table, ...after(first) });
    assert.deepEqual(read(second), [deletion('a', removed), upToDate]);
    assert.equal(second.headers['electric-handle'], first.headers['electric-handle']);
    assert.notEqual(second.headers['electric-cursor'], first.headers['electric-cursor']);

    const waiting = ask({ table, live: 'true', ...after(second) });
    await base.put({ key: 'c', n: 1 });
    const third = await waiting;
    assert.deepEqual(read(third).slice(0, 1), [deletion('c')]);
    const now = await ask({ table, offset: 'now' });
    assert.deepEqual(read(now), [upToDate]);
    assert.deepEqual(read(await ask({ table, ...after(now) })), [upToDate]);
  });

  test('each change has the number of its transaction, and a snapshot says which ones it has', async () => {
    const base = freshBase(service.api);
    const table = nameOf(base);
    const items = `${base.root}/items`;
    const before = await write('PUT', items, { items: [{ key: 'a' }] });
    const first = await ask({ table, offset: '-1' });
    const { xmin = '' } = snapshotEnd(read(first)).headers;
    assert.ok(before < Number(xmin), `${before} ${xmin}`);
    const put = await write('PUT', items, { items: [{ key: 'a', n: 1 }, { key: 'b' }] });
    assert.ok(put >= Number(xmin), `${put} ${xmin}`);
    const messages = read(await ask({ table, ...after(first) }));
    const told = messages.flatMap(({ headers }) => (headers.operation === 'insert' ? [headers.txids] : []));
    assert.deepEqual(told, [[put], [put]]);
    assert.ok(messages.every(({ headers }) => headers.control !== 'snapshot-end'));
  });

  test('numbers keep their digits', async () => {
    const base = freshBase(service.api);
    await base.sendText('PUT', '/items', '{"items":[{"key":"big","n":9007199254740993,"d":1.10}]}');
    const { text } = await ask({ table: nameOf(base), offset: '-1' });
    assert.match(text, /"n":9007199254740993,"d":1\.1/);
  });

  test('comes in pages, whose last one is up to date', async () => {
    const base = freshBase(service.api);
    const table = nameOf(base);
    const items = Array.from({ length: 1300 }, (_, n) => JSON.stringify({ key: `k${n}`, n })).join('\n');
    expectStatus(await base.sendText('PUT', '/items', items, 'application/x-ndjson'), 200);
    const first = await ask({ table, offset: '-1' });
    assert.equal(first.headers['electric-up-to-date'], undefined);
    assert.ok(read(first).every(({ headers }) => headers.operation === 'insert'));
    const second = await ask({ table, ...after(first) });
    snapshotEnd(read(second));
    assert.equal(second.headers['electric-up-to-date'], 'true');
    const keys = [...read(first), ...read(second)].flatMap(({ key }) => key ?? []);
    assert.deepEqual([keys.length, new Set(keys).size], [1300, 1300]);
  });

  test('a handle of another base, and an offset of another store, begin again with another handle', async () => {
    const [base, other] = [freshBase(service.api), freshBase(service.api)];
    const first = await ask({ table: nameOf(base), offset: '-1' });
    const { handle } = after(first);
    const foreign = Buffer.from('["another","00000001000000000000",0]').toString('base64url');
    for (const reply of [
      await ask({ table: nameOf(other), ...after(first) }),
      await ask({ table: nameOf(base), handle, offset: foreign }),
      // It would go back as a header.
      await ask({ ...after(first), table: nameOf(base), handle: `${handle}\r\nX: 1` }),
    ]) {
      expectStatus(reply, 409);
      assert.deepEqual(reply.json(), [{ headers: { control: 'must-refetch' } }]);
      assert.ok(reply.headers['electric-handle']);
      assert.notEqual(reply.headers['electric-handle'], handle);
    }
  });

  test('refuses what a base does not have, and what is malformed', async () => {
    const table = freshName('base');
    const begin = { table, offset: '-1' };
    const refused: Record<string, string>[] = [
      { ...begin, where: 'n > 1' },
      { ...begin, columns: 'n' },
      { ...begin, replica: 'full' },
      { ...begin, log: 'changes_only' },
      { ...begin, live_sse: 'true' },
      { ...begin, params: '{"1":"x"}' },
      { ...begin, subset__limit: '1' },
      { offset: '-1' },
      { table },
      { table, offset: 'x', handle: 'y' },
      { table, offset: after(await ask(begin)).offset },
    ];
    for (const parameters of refused) expectErrors(await ask(parameters), 400);
    const usual = {
      log: 'full',
      replica: 'default',
      live_sse: 'false',
      expired_handle: 'x',
      'cache-buster': 'y',
    };
    expectStatus(await ask({ ...begin, ...usual }), 200);
  });

  test('a limited key sees its bases and what is below its prefix', async () => {
    const base = freshBase(service.api);
    const table = nameOf(base);
    await base.put({ key: 'in/a' }, { key: 'out/b' });
    const { key } = await createKey(service.api, { access: 'read', bases: [table], prefix: 'in/' });
    const first = await ask({ table, offset: '-1' }, { key });
    assert.deepEqual(read(first), [insertion({ key: 'in/a' }), snapshotEnd(read(first)), upToDate]);
    await base.put({ key: 'out/b', n: 1 });
    assert.deepEqual(read(await ask({ table, ...after(first) }, { key })), [upToDate]);
    expectErrors(await ask({ table: freshName('base'), offset: '-1' }, { key }), 403);
    const whole = await ask({ table, offset: '-1' });
    expectStatus(await ask({ table, ...after(whole) }, { key }), 409);
  });

  test('a page of another origin may read what tells it where to go on', async () => {
    const headers = { Origin: 'https://page.example' };
    const table = freshName('base');
    const reply = await ask({ table, offset: '-1' }, { headers });
    const exposed = String(reply.headers['access-control-expose-headers']).split(/, */);
    for (const name of ['electric-handle', 'electric-offset', 'electric-cursor', 'ETag'])
      assert.ok(exposed.includes(name), name);
    const stale = await ask({ table, offset: after(reply).offset, handle: 'other' }, { headers });
    assert.match(String(stale.headers['access-control-expose-headers']), /electric-handle/);
  });
});
