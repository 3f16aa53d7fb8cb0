import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Api, Reply } from '../src/api.js';
import { type Base, type Drive, freshBase, freshDrive, openUpload } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

/** Long enough that no slow run sees it pass. */
const inSeconds = 100_000;
const rule = /expires_in: must be a whole number of seconds from 0 to 315360000000$/;
const ndjson = 'application/x-ndjson';

describe('expires_in', { concurrency: true }, () => {
  const service = useService();
  const send: Api['send'] = (...given) => service.api.send(...given);
  /** The clock of the service: that of this machine may be another one. */
  const serviceSeconds = async () => {
    const { headers } = await send('GET', '/health', { key: null });
    return Math.floor(Date.parse(String(headers.date)) / 1000);
  };
  const lines = (base: Base, method: string, expiresIn: number | string, body: string) =>
    send(method, `${base.root}/items?expires_in=${expiresIn}`, { body, type: ndjson });
  const transact = (base: Base, ...operations: object[]) =>
    send('POST', `${base.root}/transactions`, { json: { operations } });

  /** Writes, and checks that what was written expires so many seconds later, by the clock of the service. */
  async function expectExpiry(write: () => Promise<Reply>, read: (after: Reply) => Promise<unknown>) {
    const least = (await serviceSeconds()) + inSeconds;
    const reply = await write();
    assert.ok(reply.status < 300, `${reply.status} ${reply.text}`);
    const expires = Number(await read(reply));
    // Node makes the text of a date once a second, or later when it is busy.
    const most = (await serviceSeconds()) + inSeconds + 2;
    assert.ok(expires >= least && expires <= most, `${expires} is not from ${least} to ${most}`);
  }

  const expiryOf = async (base: Base, key = 'k') =>
    (await base.get(key)).json<{ __expires?: number }>().__expires;

  const writes: Readonly<Record<string, (base: Base) => Promise<Reply>>> = {
    'Put Items': ({ root }) =>
      send('PUT', `${root}/items`, { json: { items: [{ key: 'k', n: 1 }], expires_in: inSeconds } }),
    'Put Items, before the items': ({ root }) =>
      send('PUT', `${root}/items`, { json: { expires_in: inSeconds, items: [{ key: 'k' }] } }),
    'Insert Item': ({ root }) =>
      send('POST', `${root}/items`, { json: { item: { key: 'k', n: 1 }, expires_in: inSeconds } }),
    'Import Items': (base) => lines(base, 'PUT', inSeconds, '{"key":"k","n":1}\n'),
    'Import Items as inserts': (base) => lines(base, 'POST', inSeconds, '{ "n": 1, "key": "k" }\n'),
    'a put of a transaction': (base) => transact(base, { put: { key: 'k' }, expires_in: inSeconds }),
    'an insert of a transaction': (base) => transact(base, { insert: { key: 'k' }, expires_in: inSeconds }),
    'an update of a transaction': (base) =>
      transact(base, { put: { key: 'k' } }, { update: { key: 'k', expires_in: inSeconds } }),
    'Update Item': async (base) => {
      expectStatus(await base.put({ key: 'k', n: 1 }), 207);
      return await base.update('k', { set: { n: 2 }, expires_in: inSeconds });
    },
    'Update Item with nothing else': async (base) => {
      expectStatus(await base.put({ key: 'k', __expires: 4_102_444_800 }), 207);
      return await base.update('k', { expires_in: inSeconds });
    },
    'Update By Query': async (base) => {
      expectStatus(await base.put({ key: 'k', n: 1 }), 207);
      return await send('POST', `${base.root}/query/update`, {
        json: { query: { n: 1 }, expires_in: inSeconds },
      });
    },
  };

  for (const [operation, write] of Object.entries(writes)) {
    test(`${operation}: the item expires so many seconds after, by the clock of the service`, async () => {
      const base = freshBase(service.api);
      await expectExpiry(
        () => write(base),
        () => expiryOf(base),
      );
    });
  }

  test('the answers have the items as they are stored, and an update as it was sent', async () => {
    const base = freshBase(service.api);
    const put = await send('PUT', `${base.root}/items`, {
      json: { items: [{ key: 'a' }, { n: { __expires: 'nested' } }], expires_in: inSeconds },
    });
    const { items } = put.json<{ processed: { items: { key: string }[] } }>().processed;
    for (const item of items) expectJson(await base.get(item.key), 200, item);
    assert.deepEqual(
      items.map((item) => Object.keys(item)),
      [
        ['key', '__expires'],
        ['key', 'n', '__expires'],
      ],
    );
    const made = await send('POST', `${base.root}/items`, {
      json: { item: { key: 'b' }, expires_in: inSeconds },
    });
    expectJson(await base.get('b'), 200, made.json());
    expectJson(await base.update('b', { expires_in: 5, delete: ['x'] }), 200, {
      key: 'b',
      delete: ['x'],
      expires_in: 5,
    });
  });

  test('it takes the place of the time that an item has of its own', async () => {
    const base = freshBase(service.api);
    const item = '{"key":"k","a":1.50,"__expires":1,"l":[{"__expires":7}],"z":12345678901234.0}';
    const bodies = [
      `{"items":[${item}],"expires_in":${inSeconds}}`,
      `{"items":[${item.replace('"__expires":1', '"\\u005f_expires": 1')}],"expires_in":${inSeconds}}`,
    ];
    for (const body of bodies) {
      expectStatus(await send('PUT', `${base.root}/items`, { body, type: 'application/json' }), 207);
      const expires = await expiryOf(base);
      assert.equal((await base.get('k')).text, item.replace('"__expires":1', `"__expires":${expires}`));
    }
    expectStatus(await lines(base, 'PUT', inSeconds, item), 200);
    const expires = await expiryOf(base);
    assert.equal((await base.get('k')).text, item.replace('"__expires":1', `"__expires":${expires}`));
  });

  test('0 seconds: the item is gone at once', async () => {
    const base = freshBase(service.api);
    const gone = async () => expectJson(await base.get('k'), 404, { key: 'k' });
    expectStatus(
      await send('PUT', `${base.root}/items`, { json: { items: [{ key: 'k' }], expires_in: 0 } }),
      207,
    );
    await gone();
    expectStatus(
      await send('POST', `${base.root}/items`, { json: { item: { key: 'k' }, expires_in: 0 } }),
      201,
    );
    await gone();
    assert.equal((await lines(base, 'POST', 0, '{"key":"k"}')).text, '{"stored":1,"failed":0}\n');
    await gone();
    expectStatus(await base.put({ key: 'k' }), 207);
    expectStatus(await base.update('k', { expires_in: 0 }), 200);
    await gone();
    expectErrors(
      await transact(base, { insert: { key: 'k' }, expires_in: 0 }, { update: { key: 'k', set: { a: 1 } } }),
      404,
      /^operations\[1\]: /,
    );
  });

  test('null, and an empty parameter, mean that it is absent', async () => {
    const base = freshBase(service.api);
    const answers = [
      await send('PUT', `${base.root}/items`, { json: { items: [{ key: 'k' }], expires_in: null } }),
      await send('POST', `${base.root}/items`, { json: { item: { key: 'l' }, expires_in: null } }),
      await base.update('k', { set: { n: 1 }, expires_in: null }),
      await transact(base, { put: { key: 'm' }, expires_in: null }, { delete: { key: 'm' } }),
      await lines(base, 'PUT', '', '{"key":"n"}'),
    ];
    for (const { status, text } of answers) assert.ok(status < 300, text);
    assert.equal(
      (await send('GET', `${base.root}/items`)).text,
      '{"key":"k","n":1}\n{"key":"l"}\n{"key":"n"}\n',
    );
    expectErrors(await base.update('k', { expires_in: null }), 400, /^body: names no operation/);
  });

  test('anything else than whole seconds is answered with 400, and nothing is changed', async () => {
    const base = freshBase(service.api);
    expectStatus(await base.put({ key: 'k' }), 207);
    for (const expires_in of [-1, 1.5, '60', true, [], {}, 315_360_000_001]) {
      const json = { items: [{ key: 'x' }], expires_in };
      expectErrors(await send('PUT', `${base.root}/items`, { json }), 400, rule);
      const item = { key: 'x' };
      expectErrors(await send('POST', `${base.root}/items`, { json: { item, expires_in } }), 400, rule);
      expectErrors(await base.update('k', { set: { n: 1 }, expires_in }), 400, rule);
      expectErrors(
        await send('POST', `${base.root}/query/update`, { json: { query: [], all: true, expires_in } }),
        400,
        rule,
      );
      expectErrors(await transact(base, { put: item, expires_in }), 400, rule);
      expectErrors(await transact(base, { update: { key: 'k', expires_in } }), 400, rule);
    }
    for (const text of ['-1', '1.5', 'soon', '1e3', '315360000001', '9'.repeat(30)])
      expectErrors(await lines(base, 'PUT', text, '{"key":"x"}'), 400, rule);
    assert.equal((await send('GET', `${base.root}/items`)).text, '{"key":"k"}\n');
  });

  test('an update cannot name `__expires` in another way, too', async () => {
    const base = freshBase(service.api);
    expectStatus(await base.put({ key: 'k' }), 207);
    for (const change of [
      { set: { __expires: 1 } },
      { increment: { __expires: 1 } },
      { delete: ['__expires'] },
    ])
      expectErrors(
        await base.update('k', { ...change, expires_in: 5 }),
        400,
        /__expires: the path is named twice$/,
      );
    expectJson(await base.get('k'), 200, { key: 'k' });
  });

  test('in a transaction it stands beside a put or an insert, and within an update', async () => {
    const base = freshBase(service.api);
    for (const operation of [
      { update: { key: 'k', set: { n: 1 } } },
      { delete: { key: 'k' } },
      { check: { key: 'k', if: null } },
    ]) {
      const answer = await transact(base, { ...operation, expires_in: 5 });
      expectErrors(answer, 400, /^operations\[0\]: expires_in: belongs to put and insert here/);
    }
    expectErrors(
      await transact(base, { delete: { key: 'k', expires_in: 5 } }),
      400,
      /delete\.expires_in: there is no/,
    );
  });

  test('an item that it makes larger than an item may be is refused', async () => {
    const base = freshBase(service.api);
    const text = 'x'.repeat(409_600 - '{"key":"k","t":""}'.length);
    const item = { key: 'k', t: text };
    expectStatus(await base.put(item), 207);
    const answer = await send('PUT', `${base.root}/items`, { json: { items: [item], expires_in: 5 } });
    expectErrors(answer, 400, /^items\[0\]: has 4096\d\d bytes as JSON, at most 409600$/);
    expectErrors(
      await send('POST', `${base.root}/items`, { json: { item: { ...item, key: 'l' }, expires_in: 5 } }),
      400,
      /^item: has/,
    );
    expectErrors(await transact(base, { put: item, expires_in: 5 }), 400, /^operations\[0\]: put: has/);
    const { text: said } = await lines(base, 'PUT', 5, `${JSON.stringify(item)}\n{"key":"small"}\n`);
    const [refused, sums] = said.trimEnd().split('\n');
    assert.match(String(refused), /^\{"line":1,"errors":\["item: has 4096\d\d bytes/);
    assert.equal(sums, '{"stored":1,"failed":1}');
  });

  describe('of files', () => {
    const put = ({ root }: Drive, expiry: string, name = 'f') =>
      send('POST', `${root}/files?name=${name}&${expiry}`, { body: 'bytes' });
    const change = ({ root }: Drive, json: unknown) => send('PATCH', `${root}/files?name=f`, { json });
    const expiryOfFile = async (drive: Drive) =>
      (await drive.list({ details: 'true' })).json<{ files: { expires?: number }[] }>().files[0]?.expires;

    test('Put File: the file expires so many seconds after, by the clock of the service', async () => {
      const drive = freshDrive(service.api);
      await expectExpiry(
        () => put(drive, `expires_in=${inSeconds}`),
        () => expiryOfFile(drive),
      );
      expectStatus(await put(drive, ''), 201);
      assert.equal(await expiryOfFile(drive), undefined);
    });

    test('Change File does so, too', async () => {
      const drive = freshDrive(service.api);
      expectStatus(await put(drive, 'expires=4102444800'), 201);
      await expectExpiry(
        () => change(drive, { expires_in: inSeconds }),
        async (reply) => reply.json<{ expires: number }>().expires,
      );
    });

    test('a chunked upload: the seconds count from its end', async () => {
      const drive = freshDrive(service.api);
      const opened = await send('POST', `${drive.root}/uploads?name=f&expires_in=${inSeconds}`);
      const { upload_id: id } = opened.json<{ upload_id: string }>();
      expectStatus(await drive.part(id, 'f', 1, Buffer.from('part')), 200);
      await expectExpiry(
        () => drive.end(id, 'f'),
        () => expiryOfFile(drive),
      );
      const later = await openUpload(drive, 'f');
      expectStatus(await drive.end(later, 'f'), 200);
      assert.equal(await expiryOfFile(drive), undefined);
    });

    test('0 seconds: the file is gone at once', async () => {
      const drive = freshDrive(service.api);
      expectStatus(await put(drive, 'expires_in=0'), 201);
      expectErrors(await drive.get('f'), 404);
      expectStatus(await put(drive, ''), 201);
      expectStatus(await change(drive, { expires_in: 0 }), 200);
      expectErrors(await drive.get('f'), 404);
    });

    test('what is wrong is named, and nothing is changed', async () => {
      const drive = freshDrive(service.api);
      const both = /^expires: must not be given together with expires_in$/;
      for (const text of ['-1', '1.5', 'soon', '315360000001']) {
        expectErrors(await put(drive, `expires_in=${text}`), 400, rule);
        expectErrors(await send('POST', `${drive.root}/uploads?name=f&expires_in=${text}`), 400, rule);
      }
      expectErrors(await put(drive, 'expires_in=5&expires=5'), 400, both);
      expectErrors(await send('POST', `${drive.root}/uploads?name=f&expires_in=5&expires=5`), 400, both);
      expectJson(await drive.list(), 200, { names: [] });
      expectStatus(await put(drive, 'expires_in='), 201);
      for (const expires_in of [-1, 1.5, '60', null])
        expectErrors(await change(drive, { expires_in }), 400, rule);
      expectErrors(await change(drive, { expires_in: 5, expires: 5 }), 400, both);
      expectErrors(await change(drive, { expires_in: 5, expires: null }), 400, both);
      assert.equal(await expiryOfFile(drive), undefined);
    });
  });
});
