import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshBase } from '../src/names.js';
import { launchTarget } from '../src/target.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const mib = 1024 * 1024;
const maxItemBytes = 400 * 1024;

describe('bodies of the database API', { concurrency: true }, () => {
  const service = useService();
  const base = () => freshBase(service.api);
  const operations = [
    ['PUT', '/items', '{"items":[{"key":"k"}]}'],
    ['POST', '/items', '{"item":{"key":"k"}}'],
    ['PATCH', '/items/k', '{"set":{"a":1}}'],
    ['POST', '/query', '{}'],
  ] as const;

  for (const [method, path, body] of operations) {
    describe(`${method} ${path}`, { concurrency: true }, () => {
      test('every content type except application/json is answered with 415', async () => {
        const subject = base();
        for (const type of [
          'text/plain',
          'application/jsonx',
          'application/x-www-form-urlencoded',
          'json',
          '',
        ]) {
          const reply = await service.api.send(method, subject.root + path, {
            body,
            headers: { 'Content-Type': type },
          });
          expectErrors(reply, 415, /Content-Type/i);
        }
        expectErrors(await service.api.send(method, subject.root + path, { body }), 415);
        expectJson(await subject.get('k'), 404, { key: 'k' });
      });

      test('the content type may have parameters and capital letters', async () => {
        for (const type of [
          'application/json; charset=utf-8',
          'application/json;charset=UTF-8',
          'Application/JSON',
        ]) {
          const reply = await service.api.send(method, base().root + path, { body, type });
          assert.ok(reply.status < 300 || reply.status === 404, `${reply.status} ${reply.text}`);
        }
      });

      test('malformed JSON is answered with 400', async () => {
        const subject = base();
        const malformed = [
          '{',
          '[',
          '"',
          '{"items":',
          `${body}x`,
          `${body}${body}`,
          body.slice(0, -1),
          "{'a':1}",
        ];
        const more = [
          '{"a":01}',
          '{"a":+1}',
          '{"a":.5}',
          '{"a":1.}',
          '{"a":NaN}',
          '{"a":1,}',
          '{a:1}',
          '//\n{}',
        ];
        const strings = ['{"a":"\n"}', '{"a":"\\x41"}', '{"a":"\\u12"}', '\ufeff{}', '\u0000', 'nul'];
        for (const text of [...malformed, ...more, ...strings]) {
          expectErrors(await subject.sendText(method, path, text), 400);
        }
        expectStatus(await subject.get('k'), 404);
      });

      test('JSON that is not an object is answered with 400', async () => {
        for (const text of ['1', '"x"', 'true', '[]', '[{}]']) {
          expectErrors(await base().sendText(method, path, text), 400);
        }
      });

      test('invalid UTF-8 is answered with 400', async () => {
        const bytes = [
          [0xff],
          [0xc3],
          [0xc3, 0x28],
          [0xc0, 0x80],
          [0xed, 0xa0, 0x80],
          [0xf4, 0x90, 0x80, 0x80],
        ];
        for (const wrong of bytes) {
          const text = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(wrong), Buffer.from('"}')]);
          expectErrors(await base().sendText(method, path, text), 400);
        }
      });

      test('100,000 nested lists or objects are answered with 400', async () => {
        const deep = 100_000;
        for (const text of [
          '['.repeat(deep),
          '{"a":'.repeat(deep),
          `${'['.repeat(deep)}${']'.repeat(deep)}`,
        ]) {
          expectErrors(await base().sendText(method, path, text), 400);
          expectErrors(await base().sendText(method, path, `{"item":${text}}`), 400);
        }
      });

      test('a body of more than 16 MiB is answered with 413 and JSON', async () => {
        const padded = (size: number) => body + ' '.repeat(size - body.length);
        expectErrors(await base().sendText(method, path, padded(16 * mib + 1)), 413);
        const allowed = await base().sendText(method, path, padded(16 * mib));
        assert.ok(allowed.status < 300 || allowed.status === 404, `${allowed.status}`);
      });
    });
  }
});

describe('the rules of an item', { concurrency: true }, () => {
  const service = useService();
  const base = () => freshBase(service.api);

  /** An item of exactly this many bytes of stored JSON. */
  const sized = (bytes: number, filler = 'x') => {
    const empty = Buffer.byteLength(JSON.stringify({ key: 'k', a: '' }));
    const text = filler.repeat(Math.floor((bytes - empty) / Buffer.byteLength(filler)));
    const rest = bytes - empty - Buffer.byteLength(text);
    return { key: 'k', a: text + 'x'.repeat(rest) };
  };

  test('an item has at most 400 KiB of stored JSON in UTF-8', async () => {
    for (const filler of ['x', 'é', '🙂']) {
      const subject = base();
      expectStatus(await subject.put(sized(maxItemBytes, filler)), 207);
      expectErrors(await subject.put(sized(maxItemBytes + 1, filler)), 400, /item/);
      expectErrors(await subject.insert({ ...sized(maxItemBytes + 1, filler), key: 'l' }), 400, /item/);
      expectJson(await subject.get('k'), 200, sized(maxItemBytes, filler));
    }
  });

  test('the size of an item is that of its stored JSON, however it was written', async () => {
    const escaped = '\\u0041'.repeat(100_000);
    const spaced = `{"items":[{"key":"k",${' '.repeat(500_000)}"a":"${escaped}"}]}`;
    expectStatus(await base().sendText('PUT', '/items', spaced), 207);
  });

  test('one request may have 25 items of 400 KiB', async () => {
    const items = Array.from({ length: 25 }, (_, n) => ({ ...sized(maxItemBytes - 2), key: `k${n + 10}` }));
    expectStatus(await base().put(...items), 207);
  });

  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    test(`an item has at most 100 levels of ${open}`, async () => {
      // The item itself is the first level.
      const nested = (depth: number) =>
        `{"key":"k","a":${open.repeat(depth - 1)}${open === '[' ? '' : '1'}${close.repeat(depth - 1)}}`;
      const subject = base();
      expectStatus(await subject.sendText('PUT', '/items', `{"items":[${nested(100)}]}`), 207);
      assert.equal((await subject.get('k')).text, nested(100));
      expectErrors(await subject.sendText('PUT', '/items', `{"items":[${nested(101)}]}`), 400);
      expectErrors(await subject.sendText('POST', '/items', `{"item":${nested(101)}}`), 400);
    });
  }

  test('an attribute name may not be empty at any depth', async () => {
    const subject = base();
    for (const item of [{ '': 1 }, { a: { '': 1 } }, { a: [{ b: [{ '': null }] }] }]) {
      expectErrors(await subject.put({ key: 'k', ...item }), 400);
      expectErrors(await subject.insert({ key: 'k', ...item }), 400);
    }
    expectJson(await subject.get('k'), 404, { key: 'k' });
  });

  test('lone surrogates are answered with 400 in values and names, escaped or not', async () => {
    const subject = base();
    for (const lone of ['\\ud800', '\\udc00', '\\ud83dx', '\\ude00\\ud83d', '\\uD800\\u0041']) {
      for (const item of [`{"key":"k","a":"${lone}"}`, `{"key":"k","${lone}":1}`, `{"key":"${lone}"}`]) {
        expectErrors(await subject.sendText('PUT', '/items', `{"items":[${item}]}`), 400);
        expectErrors(await subject.sendText('POST', '/items', `{"item":${item}}`), 400);
      }
    }
    const pair = '{"items":[{"key":"k","a":"\\ud83d\\ude42"}]}';
    expectJson(await subject.sendText('PUT', '/items', pair), 207, {
      processed: { items: [{ key: 'k', a: '🙂' }] },
    });
  });

  describe('the key', { concurrency: true }, () => {
    const odd = [
      '/',
      '%',
      '?',
      '#',
      '&',
      ' ',
      'a b',
      '+',
      'a/b/c',
      '%2F',
      '%25',
      '..',
      '.',
      '\\',
      '"',
      "'",
      'ä',
      '名',
    ];
    const more = [
      '🙂',
      '🙂'.repeat(256),
      '\n',
      '\t',
      '\u007f',
      '__proto__',
      'constructor',
      'key',
      '0',
      '-1',
      'null',
    ];
    for (const key of [
      ...odd,
      ...more,
      'k'.repeat(1024),
      'é'.repeat(512),
      ' leading',
      'trailing ',
      ';',
      ':',
      '=',
    ]) {
      test(`a key may be ${JSON.stringify(key.slice(0, 20))} of ${Buffer.byteLength(key)} bytes`, async () => {
        const subject = base();
        const item = { key, a: 1 };
        expectJson(await subject.put(item), 207, { processed: { items: [item] } });
        expectJson(await subject.get(key), 200, item);
        expectJson(await subject.update(key, { increment: { a: 1 } }), 200, { key, increment: { a: 1 } });
        expectJson(await subject.insert(item), 409, {
          errors: ['Key already exists'],
          codes: [{ code: 'item_exists' }],
        });
        expectJson(await subject.query({ query: [{ key }] }), 200, {
          paging: { size: 1 },
          items: [{ key, a: 2 }],
        });
        expectJson(await subject.remove(key), 200, { key });
        expectJson(await subject.get(key), 404, { key });
      });
    }

    const wrong = [
      '',
      'k'.repeat(1025),
      'é'.repeat(513),
      'a\u0000b',
      '\u0000',
      1,
      0,
      null,
      true,
      false,
      [],
      {},
      ['k'],
    ];
    for (const key of wrong) {
      test(`a key may not be ${JSON.stringify(key).slice(0, 20)} of ${JSON.stringify(key).length} characters`, async () => {
        const subject = base();
        expectErrors(await subject.put({ key }), 400, /key/);
        expectErrors(await subject.insert({ key }), 400, /key/);
        if (typeof key === 'string' && key !== '') {
          expectErrors(await subject.get(key), 400, /key/);
          expectErrors(await subject.remove(key), 400, /key/);
          expectErrors(await subject.update(key, { set: { a: 1 } }), 400, /key/);
        }
        expectJson(await subject.query({}), 200, { paging: { size: 0 }, items: [] });
      });
    }

    test('a key in a path is percent-decoded once', async () => {
      const subject = base();
      await subject.put({ key: '%41' }, { key: 'a b' }, { key: 'a+b' });
      expectJson(await service.api.send('GET', `${subject.root}/items/%2541`), 200, { key: '%41' });
      expectJson(await service.api.send('GET', `${subject.root}/items/%41`), 404, { key: 'A' });
      expectJson(await service.api.send('GET', `${subject.root}/items/a%20b`), 200, { key: 'a b' });
      // `+` is a space only in query strings.
      expectJson(await service.api.send('GET', `${subject.root}/items/a+b`), 200, { key: 'a+b' });
    });

    test('keys that differ in case or Unicode normalization are different', async () => {
      const subject = base();
      const keys = ['é', 'e\u0301', 'K', 'k', '\u212a'];
      await subject.put(...keys.map((key, n) => ({ key, n })));
      for (const [n, key] of keys.entries()) expectJson(await subject.get(key), 200, { key, n });
    });
  });

  test('an error message names the item and the field', async () => {
    const subject = base();
    expectErrors(await subject.put({ key: 'a' }, { key: 'b' }, { key: 7 }), 400, /items\[2\]\.key/);
    expectErrors(await subject.put({ key: 'a', __expires: 'x' }), 400, /__expires/);
    const digits = '{"items":[{"key":"a","profile":{"age":12345678901234567}}]}';
    expectErrors(await subject.sendText('PUT', '/items', digits), 400, /profile\.age.*16/);
  });
});

describe('a server whose operator allows more items', () => {
  const service = useService(() => launchTarget('--max-items-per-put', '100'));

  test('a put takes as many items as the operator allows, and no more', async () => {
    const base = freshBase(service.api);
    const items = (count: number) => Array.from({ length: count }, (_, n) => ({ key: `k${n}` }));
    expectStatus(await base.put(...items(100)), 207);
    expectErrors(await base.put(...items(101)), 400, /100/);
  });
});
