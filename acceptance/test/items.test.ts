import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshBase } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const madeKey = /^[a-z0-9]{12}$/;

describe('items', { concurrency: true }, () => {
  const service = useService();
  const base = () => freshBase(service.api);

  describe('Put Items', { concurrency: true }, () => {
    test('a put is answered with 207 and the stored items in the order of the request', async () => {
      const items = [{ key: 'b', n: 1 }, { key: 'a', n: 2 }, { key: 'c' }];
      const reply = await base().put(...items);
      expectJson(reply, 207, { processed: { items } });
      assert.equal(
        reply.text,
        JSON.stringify({ processed: { items } }),
        '`failed` is absent when none failed',
      );
    });

    test('an item without a key gets one of 12 characters of [a-z0-9]', async () => {
      const subject = base();
      const reply = await subject.put({ n: 1 }, { n: 2 }, { n: 3 });
      expectStatus(reply, 207);
      const { items } = reply.json<{ processed: { items: { key: string; n: number }[] } }>().processed;
      assert.deepEqual(
        items.map(({ n }) => n),
        [1, 2, 3],
      );
      for (const item of items) {
        assert.match(item.key, madeKey);
        expectJson(await subject.get(item.key), 200, item);
      }
      assert.equal(new Set(items.map(({ key }) => key)).size, 3);
    });

    test('a put replaces the whole item of an existing key', async () => {
      const subject = base();
      await subject.put({ key: 'k', old: true });
      await subject.put({ key: 'k', fresh: true });
      expectJson(await subject.get('k'), 200, { key: 'k', fresh: true });
    });

    test('a put takes 1 to 25 items', async () => {
      const subject = base();
      const items = (count: number) => Array.from({ length: count }, (_, n) => ({ key: `k${n}` }));
      expectErrors(await subject.put(), 400, /items/);
      expectStatus(await subject.put(...items(1)), 207);
      expectStatus(await subject.put(...items(25)), 207);
      expectErrors(await subject.put(...items(26)), 400, /items.*25/);
    });

    test('a put stores all items or none', async () => {
      const subject = base();
      const wrong = [{ key: '' }, { key: 7 }, null, 'text', [], { '': 1 }, { __expires: 'soon' }];
      for (const item of wrong) expectErrors(await subject.put({ key: 'good' }, item), 400, /items/);
      expectJson(await subject.query({}), 200, { paging: { size: 0 }, items: [] });
    });

    test('a put of two items with the same key is answered with 400', async () => {
      const subject = base();
      expectErrors(await subject.put({ key: 'k', a: 1 }, { key: 'l' }, { key: 'k', a: 2 }), 400, /key/);
      expectJson(await subject.get('l'), 404, { key: 'l' });
      // The same key, written in two ways.
      const text = '{"items":[{"key":"A"},{"key":"\\u0041"}]}';
      expectErrors(await subject.sendText('PUT', '/items', text), 400, /key/);
    });

    test('`items` must be a list', async () => {
      for (const items of [undefined, null, {}, 'x', 1, true]) {
        const reply = await service.api.send('PUT', `${base().root}/items`, { json: { items } });
        expectErrors(reply, 400, /items/);
      }
    });
  });

  describe('Insert Item', { concurrency: true }, () => {
    test('an insert is answered with 201 and the item', async () => {
      const subject = base();
      const item = { key: 'k', a: [1, { b: null }] };
      expectJson(await subject.insert(item), 201, item);
      expectJson(await subject.get('k'), 200, item);
    });

    test('an insert without a key generates one', async () => {
      const reply = await base().insert({ a: 1 });
      expectStatus(reply, 201);
      assert.match(reply.json<{ key: string }>().key, madeKey);
      assert.equal(reply.json<{ a: number }>().a, 1);
    });

    test('an insert of an existing key is answered with 409 and changes nothing', async () => {
      const subject = base();
      await subject.put({ key: 'k', a: 1 });
      expectJson(await subject.insert({ key: 'k', a: 2 }), 409, {
        errors: ['Key already exists'],
        codes: [{ code: 'item_exists' }],
      });
      expectJson(await subject.get('k'), 200, { key: 'k', a: 1 });
    });

    test('an insert of a deleted key succeeds', async () => {
      const subject = base();
      await subject.put({ key: 'k' });
      await subject.remove('k');
      expectStatus(await subject.insert({ key: 'k' }), 201);
    });

    test('of many inserts of one key at the same time, one succeeds', async () => {
      const subject = base();
      const replies = await Promise.all(
        Array.from({ length: 16 }, (_, n) => subject.insert({ key: 'k', n })),
      );
      const statuses = replies.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [201, ...Array<number>(15).fill(409)]);
      const winner = replies.find(({ status }) => status === 201);
      assert.equal((await subject.get('k')).text, winner?.text);
    });

    test('`item` must be an object', async () => {
      for (const item of [undefined, null, [], [{ key: 'k' }], 'x', 1, true]) {
        expectErrors(await base().insert(item), 400, /item/);
      }
    });
  });

  describe('Get Item and Delete Item', { concurrency: true }, () => {
    test('a missing item is answered with 404 and its key, without errors', async () => {
      const subject = base();
      for (const key of ['absent', 'ä/?#&%', '🙂']) expectJson(await subject.get(key), 404, { key });
    });

    test('a delete is answered with 200 and the key, whether the item existed or not', async () => {
      const subject = base();
      await subject.put({ key: 'k' });
      expectJson(await subject.remove('k'), 200, { key: 'k' });
      expectJson(await subject.get('k'), 404, { key: 'k' });
      expectJson(await subject.remove('k'), 200, { key: 'k' });
      expectJson(await subject.remove('never'), 200, { key: 'never' });
    });

    test('requests without a body may have any content type', async () => {
      const { api } = service;
      const subject = base();
      await subject.put({ key: 'k' });
      for (const type of [
        'application/json',
        'text/plain',
        'application/octet-stream',
        'x',
        'multipart/form-data',
      ]) {
        expectStatus(await api.send('GET', `${subject.root}/items/k`, { type }), 200);
        expectStatus(await api.send('DELETE', `${subject.root}/items/none`, { type }), 200);
        expectStatus(await api.send('POST', `${subject.root}/query`, { type }), 200);
        // A request without an operation is an error, but not one of the content type.
        expectErrors(await api.send('PATCH', `${subject.root}/items/k`, { type }), 400);
      }
    });

    test('an unexpected body is ignored', async () => {
      const { api } = service;
      const subject = base();
      await subject.put({ key: 'k' });
      for (const body of ['null', '{}', '{', 'x'.repeat(1000)]) {
        const options = { body, headers: { 'Content-Length': String(body.length) } };
        expectStatus(await api.send('GET', `${subject.root}/items/k`, options), 200);
        expectStatus(await api.send('DELETE', `${subject.root}/items/none`, options), 200);
      }
    });
  });

  describe('the exact text of an item', { concurrency: true }, () => {
    const values: Record<string, string> = {
      'empty values': '{"key":"k","a":"","b":[],"c":{},"d":null,"e":[[]],"f":[{}]}',
      'attributes in their order': '{"z":1,"key":"k","a":2,"10":3,"9":4,"1":5,"m":{"2":0,"1":0,"b":0,"a":0}}',
      Unicode: '{"key":"k","a":"ä é 名前 🙂 \u2028 \u2029 \ufeff \uffff","ü":{"🙂":"é"}}',
      'NUL in a text': '{"key":"k","a":"x\\u0000y"}',
      'escapes that JSON requires': '{"key":"k","a":"\\"\\\\\\n\\r\\t\\b\\f"}',
      'names of prototype properties':
        '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"key":"k","toString":"x",' +
        '"a":{"__proto__":{"b":{"__proto__":null}},"hasOwnProperty":[{"__proto__":[]}]}}',
      'booleans and lists': '{"key":"k","a":[true,false,null,[1,[2,[3]]]]}',
      'names with dots and question marks': '{"key":"k","a.b":1,"a?lt":2,"?":3,".":4}',
    };
    for (const [what, text] of Object.entries(values)) {
      test(`an item with ${what} is returned as it was sent`, async () => {
        const subject = base();
        const put = await subject.sendText('PUT', '/items', `{"items":[${text}]}`);
        assert.equal(put.text, `{"processed":{"items":[${text}]}}`);
        assert.equal((await subject.get('k')).text, text);
        assert.equal((await subject.query({})).text, `{"paging":{"size":1},"items":[${text}]}`);
        await subject.remove('k');
        assert.equal((await subject.sendText('POST', '/items', `{"item":${text}}`)).text, text);
      });
    }

    test('a stored or updated `__proto__` changes no prototype', async () => {
      const subject = base();
      const text = '{"items":[{"key":"p","__proto__":{"polluted":"yes"}}]}';
      expectStatus(await subject.sendText('PUT', '/items', text), 207);
      const update = '{"set":{"__proto__.polluted":"no","constructor":1}}';
      const reply = await subject.sendText('PATCH', '/items/p', update);
      expectStatus(reply, 200);
      assert.equal(
        (await subject.get('p')).text,
        '{"key":"p","__proto__":{"polluted":"no"},"constructor":1}',
      );
      expectJson(await base().query({}), 200, { paging: { size: 0 }, items: [] });
      await subject.put({ key: 'plain' });
      assert.equal((await subject.get('plain')).text, '{"key":"plain"}');
    });

    test('of two attributes of the same name, the last counts', async () => {
      const subject = base();
      const text = '{"items":[{"key":"k","a":1,"b":2,"a":3}]}';
      const reply = await subject.sendText('PUT', '/items', text);
      assert.equal(reply.text, '{"processed":{"items":[{"key":"k","a":3,"b":2}]}}');
    });

    test('white space between tokens is not part of an item', async () => {
      const subject = base();
      const text = ' {"items" : [ { "key" : "k" ,\r\n\t"a" : [ 1 , 2 ] } ] , "other" : 1 } ';
      expectJson(await subject.sendText('PUT', '/items', text), 207, {
        processed: { items: [{ key: 'k', a: [1, 2] }] },
      });
    });
  });
});
