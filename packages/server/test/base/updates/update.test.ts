import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { keyProblem } from '../../../src/base/items/key.js';
import { applyToParsed, applyUpdate, updateAnswer } from '../../../src/base/updates/update.js';
import type { Update } from '../../../src/base/updates/update-body.js';
import { updateInText } from '../../../src/base/updates/update-in-text.js';
import { stringifyJson } from '../../../src/json/stringify.js';
import { runAtOnce } from '../../../src/lib/concurrency/time-slices.js';
import { RequestError } from '../../../src/request-error.js';
import { parseDeep, readUpdate, updatedItem } from '../../support/read-bodies.js';

const item =
  '{"key":"k","n":1,"text":"a","list":[1,2,3],"profile":{"age":30,"tags":["x"],"deep":{"a":1}},"none":null}';

function updated(body: string, stored = item): string {
  return updatedItem(stored, body);
}

function refusal(body: string, stored = item): string {
  try {
    updated(body, stored);
  } catch (cause) {
    assert.ok(cause instanceof RequestError, String(cause));
    assert.equal(cause.status, 400);
    return cause.problems[0]?.message ?? '';
  }
  assert.fail(`${body} was accepted`);
}

/** Undefined for an update that is refused whatever the item is. */
function readUpdateOrNot(body: string): Update | undefined {
  try {
    return readUpdate(body);
  } catch (cause) {
    assert.ok(cause instanceof RequestError, String(cause));
    return undefined;
  }
}

const changed = (body: string) => JSON.parse(updated(body)) as Record<string, unknown>;

describe('update', () => {
  test('set changes and makes, at any depth and in lists', () => {
    assert.equal(changed('{"set":{"n":{"a":[1]}}}').n instanceof Object, true);
    assert.deepEqual(changed('{"set":{"new":null}}').new, null);
    assert.deepEqual(changed('{"set":{"profile.age":31,"profile.name":"x"}}').profile, {
      age: 31,
      tags: ['x'],
      deep: { a: 1 },
      name: 'x',
    });
    assert.deepEqual(changed('{"set":{"list.1":"two"}}').list, [1, 'two', 3]);
    assert.deepEqual(changed('{"set":{"profile.deep.a":2,"profile.tags.0":"y"}}').profile, {
      age: 30,
      tags: ['y'],
      deep: { a: 2 },
    });
  });

  test('set needs the parent of its path', () => {
    assert.match(refusal('{"set":{"none.a":1}}'), /^set\.none\.a: none is not an object/);
    assert.match(refusal('{"set":{"missing.a":1}}'), /^set\.missing\.a: missing does not exist/);
    assert.match(refusal('{"set":{"profile.missing.a":1}}'), /profile\.missing does not exist/);
    assert.match(refusal('{"set":{"text.a":1}}'), /text is not an object/);
    assert.match(refusal('{"set":{"list.3":1}}'), /list is a list without such an element/);
    assert.match(refusal('{"set":{"list.x":1}}'), /list is a list without/);
    assert.match(refusal('{"set":{"list.01":1}}'), /list is a list without/);
    assert.match(refusal('{"set":{"list.-1":1}}'), /list is a list without/);
  });

  test('increment adds exactly, and refuses what is not a number', () => {
    assert.equal(changed('{"increment":{"n":2}}').n, 3);
    assert.equal(changed('{"increment":{"n":-2.5}}').n, -1.5);
    assert.equal(changed('{"increment":{"fresh":7}}').fresh, 7);
    assert.deepEqual(changed('{"increment":{"list.2":10}}').list, [1, 2, 13]);
    assert.match(updated('{"increment":{"n":9007199254740992}}'), /"n":9007199254740993,/);
    assert.match(updated('{"increment":{"n":0.2}}', '{"key":"k","n":0.1}'), /"n":0\.3\}/);
    assert.match(refusal('{"increment":{"text":1}}'), /^increment\.text: the attribute is not a number/);
    assert.match(refusal('{"increment":{"none":1}}'), /not a number/);
    assert.match(refusal('{"increment":{"n":"1"}}'), /^increment\.n: must be a number/);
    assert.match(refusal('{"increment":{"n":0.12345678901234567}}'), /more digits than/);
    assert.match(
      refusal('{"increment":{"n":9e307}}', '{"key":"k","n":9e307}'),
      /more digits than a number may have, or is too large/,
    );
    assert.match(refusal('{"increment":{"missing.a":1}}'), /missing does not exist/);
  });

  test('append and prepend extend lists, and refuse what is not a list', () => {
    assert.deepEqual(changed('{"append":{"list":[4,[5]]}}').list, [1, 2, 3, 4, [5]]);
    assert.deepEqual(changed('{"prepend":{"list":[0]}}').list, [0, 1, 2, 3]);
    assert.deepEqual(changed('{"append":{"fresh":[1]},"prepend":{"other":[2]}}').other, [2]);
    assert.deepEqual(changed('{"append":{"list":[]}}').list, [1, 2, 3]);
    assert.match(refusal('{"append":{"list":4}}'), /^append\.list: must be a list/);
    assert.match(refusal('{"prepend":{"text":["b"]}}'), /^prepend\.text: the attribute is not a list/);
    assert.match(refusal('{"append":{"none":[1]}}'), /not a list/);
  });

  test('delete removes attributes and elements, and ignores missing ones', () => {
    assert.equal('n' in changed('{"delete":["n"]}'), false);
    assert.deepEqual(changed('{"delete":["profile.deep.a","profile.tags"]}').profile, { age: 30, deep: {} });
    assert.deepEqual(changed('{"delete":["list.0","list.2"]}').list, [2]);
    assert.equal(updated('{"delete":["missing","missing2.a.b","text.a","list.9"]}'), item);
    assert.match(refusal('{"delete":[1]}'), /^delete\[0\]: must be an attribute path/);
    assert.match(refusal('{"delete":"n"}'), /^delete: must be a list/);
  });

  test('empty and null members are no operations, and an update needs one operation', () => {
    for (const body of [
      '{}',
      '{"set":{}}',
      '{"set":null,"delete":[],"append":{}}',
      '{"delete":null}',
      '{"other":{"a":1}}',
    ]) {
      assert.match(refusal(body), /^body: names no operation/, body);
    }
    assert.equal(changed('{"set":{"n":5},"increment":{},"append":null,"prepend":{},"delete":[]}').n, 5);
    for (const body of ['[]', '1', 'null', '"x"'])
      assert.match(refusal(body), /^body: must be a JSON object/);
    assert.match(refusal('{"set":[]}'), /^set: must be an object/);
    assert.match(refusal('{"increment":1}'), /^increment: must be an object/);
    assert.match(refusal('{"set":'), /^body: malformed JSON/);
  });

  test('the key cannot be changed', () => {
    assert.match(refusal('{"set":{"key":"x"}}'), /^set\.key: the key of an item cannot be changed/);
    assert.match(refusal('{"delete":["key"]}'), /^delete\.key/);
    assert.match(refusal('{"increment":{"key":1}}'), /^increment\.key/);
    assert.match(refusal('{"set":{"key.a":1}}'), /key is not an object/);
    assert.deepEqual(changed('{"set":{"profile.key":1}}').profile, {
      age: 30,
      tags: ['x'],
      deep: { a: 1 },
      key: 1,
    });
  });

  test('no path is named twice, or together with its ancestor', () => {
    assert.match(refusal('{"set":{"n":1},"delete":["n"]}'), /^delete\.n: the path is named twice/);
    assert.match(refusal('{"delete":["n","n"]}'), /named twice/);
    assert.match(
      refusal('{"set":{"profile.age":1},"delete":["profile"]}'),
      /^set\.profile\.age: its ancestor profile/,
    );
    assert.match(refusal('{"set":{"list":[]},"append":{"list.0":[1]}}'), /ancestor list/);
    assert.equal(changed('{"set":{"n":1},"increment":{"nn":1}}').nn, 1);
  });

  test('a path has no empty segment', () => {
    for (const path of ['', '.', 'a.', '.a', 'a..b'])
      assert.match(refusal(`{"set":{"${path}":1}}`), /empty segment/);
  });

  test('the changed item obeys every rule, or nothing changes', () => {
    const big = 'x'.repeat(400 * 1024);
    assert.match(refusal(`{"set":{"big":"${big}"}}`), /^item: has \d+ bytes/);
    assert.match(
      refusal('{"set":{"__expires":"soon"}}'),
      /^item\.__expires: must be a number of whole seconds/,
    );
    assert.match(refusal('{"increment":{"__expires":0.5}}'), /__expires/);
    assert.match(refusal('{"set":{"a":{"":1}}}'), /must not be empty/);
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
    assert.match(refusal(`{"set":{"a":${deep}}}`), /deep/);
    assert.match(refusal('{"set":{"a":12345678901234567}}'), /17 significant digits/);
  });

  test('names of prototypes are names like any other', () => {
    const result = updated('{"set":{"__proto__":{"polluted":1},"constructor":2,"profile.__proto__":3}}');
    assert.match(result, /"__proto__":\{"polluted":1\},"constructor":2/);
    assert.equal(({} as { polluted?: number }).polluted, undefined);
    assert.match(refusal('{"set":{"toString.x":1}}'), /toString does not exist/);
  });

  test('an update sets, keeps and deletes the expiry of its item', () => {
    const update = (body: string, stored = item) =>
      runAtOnce(applyUpdate(Buffer.from(stored), readUpdate(body)));
    assert.equal(update('{"set":{"__expires":1900000000}}').expiresAtSeconds, 1_900_000_000);
    assert.equal(
      update('{"set":{"n":1}}', '{"key":"k","__expires":1900000000}').expiresAtSeconds,
      1_900_000_000,
    );
    const expiring = '{"key":"k","n":0,"__expires":1900000000}';
    assert.equal(update('{"set":{"n":1}}', expiring).expiresAtSeconds, 1_900_000_000);
    assert.equal(update('{"set":{"__expires":1900000001}}', expiring).expiresAtSeconds, 1_900_000_001);
    assert.throws(() => update('{"set":{"__expires":"soon"}}', expiring), /whole seconds/);
    assert.equal(
      update('{"delete":["__expires"]}', '{"key":"k","__expires":1900000000}').expiresAtSeconds,
      undefined,
    );
  });

  test('what an update does not touch stays byte for byte', () => {
    const stored = '{"key":"k","2":1.0,"1":-0,"big":9007199254740993,"s":"\\u0001é","e":1E5}';
    assert.equal(
      updated('{"set":{"new":0.1234567890123456}}', stored),
      `${stored.slice(0, -1)},"new":0.1234567890123456}`,
    );
  });

  test('a value that is replaced in the text becomes what parsing the item gives', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 6 }).filter((s) => s.isWellFormed()),
      fc.constantFrom('"', '\\', '\\"', '"n":', '{', '}', ',"a":1', 'é€😀', '\u0001'),
    );
    const number = fc.constantFrom('0', '-0', '1.0', '1E5', '9007199254740993', '0.1', '-3', '1e-7', '1e300');
    const scalar = fc.oneof(
      number,
      text.map((s) => JSON.stringify(s)),
      fc.constantFrom('null', 'true', 'false'),
    );
    const names = fc.constantFrom('n', 'a', 'a"n', 'key', '0');
    const { json } = fc.letrec<{ json: string }>((tie) => ({
      json: fc.oneof(
        { depthSize: 'small' },
        scalar,
        fc.array(tie('json'), { maxLength: 3 }).map((list) => `[${list.join(',')}]`),
        membersOf(tie('json')).map((members) => `{${members}}`),
      ),
    }));
    function membersOf(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
      return fc
        .uniqueArray(fc.tuple(names, value), { selector: ([name]) => name, minLength: 2, maxLength: 5 })
        .map((members) => members.map(([name, one]) => `${JSON.stringify(name)}:${one}`).join(','));
    }
    const stored = fc
      .tuple(
        membersOf(json),
        text.map((one) => `k${one}`).filter((one) => keyProblem(one) === undefined),
      )
      .map(([members, key]) => parseDeep(`{${members},"key":${JSON.stringify(key)}}`))
      .map((item) => Buffer.from(stringifyJson(item)));
    const path = fc
      .array(names, { minLength: 1, maxLength: 2 })
      .map((segments) => segments.join('.'))
      .filter((one) => one !== 'key');
    const changes = fc.uniqueArray(
      fc.oneof(
        fc.record({ kind: fc.constant('set'), path, operand: scalar }),
        fc.record({ kind: fc.constant('increment'), path, operand: number }),
      ),
      { minLength: 1, maxLength: 2, selector: (one) => one.path },
    );

    let inText = 0;
    fc.assert(
      fc.property(stored, changes, (item, asks) => {
        const asked = (kind: string) => {
          const mine = asks.filter((one) => one.kind === kind);
          return `"${kind}":{${mine.map((one) => `${JSON.stringify(one.path)}:${one.operand}`).join(',')}}`;
        };
        const update = readUpdateOrNot(`{${asked('set')},${asked('increment')}}`);
        if (update === undefined) return;
        const replaced = updateInText(item, update);
        if (replaced === undefined) return;
        inText++;
        assert.deepEqual(replaced, runAtOnce(applyToParsed(item, update)));
      }),
      { numRuns: 5000 },
    );
    assert.ok(inText > 500, `${inText} were replaced in the text`);
  });

  test('the answer has the members that the request had, as it had them', () => {
    const body = '{"delete":["a"],"set":{"b":9007199254740993},"append":null,"increment":{}}';
    assert.equal(
      runAtOnce(updateAnswer('k"', readUpdate(body))).toString(),
      '{"key":"k\\"","set":{"b":9007199254740993},"increment":{},"append":null,"delete":["a"]}',
    );
  });

  test('an update does what a plain model does', () => {
    type Tree = { [name: string]: unknown };
    const leaf = fc.oneof(
      fc.integer({ min: -9, max: 9 }),
      fc.constantFrom('s', null, true),
      fc.array(fc.integer(), { maxLength: 2 }),
    );
    const names = fc.constantFrom('a', 'b', 'c');
    const tree = fc.dictionary(names, fc.oneof(leaf, fc.dictionary(names, leaf)));
    const path = fc.oneof(
      names,
      fc.tuple(names, names).map((parts) => parts.join('.')),
    );
    const operation = fc.record({
      kind: fc.constantFrom('set', 'increment', 'append', 'prepend', 'delete'),
      path,
      operand: leaf,
    });

    /** One operation, with two levels at most; throws where the rules say 400. */
    function model(root: Tree, kind: string, where: string, operand: unknown): void {
      const [first = '', second] = where.split('.');
      const parent = second === undefined ? root : root[first];
      const name = second ?? first;
      const isObject = parent !== null && typeof parent === 'object' && !Array.isArray(parent);
      if (kind === 'delete') {
        if (isObject) delete (parent as Tree)[name];
        return;
      }
      if (!isObject) throw new Error('parent');
      const target = parent as Tree;
      const present = target[name];
      if (kind === 'set') target[name] = operand;
      else if (kind === 'increment') {
        if (typeof operand !== 'number' || (present !== undefined && typeof present !== 'number'))
          throw new Error('number');
        target[name] = ((present as number | undefined) ?? 0) + operand;
      } else {
        if (!Array.isArray(operand) || (present !== undefined && !Array.isArray(present)))
          throw new Error('list');
        const list = (present as unknown[] | undefined) ?? [];
        target[name] = kind === 'append' ? [...list, ...operand] : [...operand, ...list];
      }
    }

    let applied = 0;
    fc.assert(
      fc.property(
        tree,
        fc.uniqueArray(operation, { minLength: 1, maxLength: 3, selector: ({ path: p }) => p }),
        (start, operations) => {
          const overlap = operations.some((a) => operations.some((b) => b.path.startsWith(`${a.path}.`)));
          fc.pre(!overlap);
          const body: Record<string, unknown> = {};
          for (const { kind, path: where, operand } of operations) {
            if (kind === 'delete') body.delete = [...((body.delete as string[]) ?? []), where];
            else body[kind] = { ...(body[kind] as object), [where]: operand };
          }
          const expected = structuredClone({ key: 'k', ...start }) as Tree;
          let refused = false;
          try {
            for (const { kind, path: where, operand } of operations)
              if (kind !== 'delete') model(expected, kind, where, operand);
            for (const { kind, path: where, operand } of operations)
              if (kind === 'delete') model(expected, kind, where, operand);
          } catch {
            refused = true;
          }
          const stored = JSON.stringify({ key: 'k', ...start });
          if (refused) {
            refusal(JSON.stringify(body), stored);
          } else {
            applied++;
            assert.deepEqual(JSON.parse(updated(JSON.stringify(body), stored)), expected);
          }
        },
      ),
      { numRuns: 3000 },
    );
    assert.ok(applied > 500);
  });
});
