// Values that the compiler refuses, as programs in JavaScript pass them: errors name the field, and null means no options.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Basedrive, BasedriveError, Base as openBase } from '../src/in-node.js';
import { downloadFolder, uploadFolder } from '../src/node.js';
import { key, ownService } from './support/service.js';

type Calls = Record<string, (...given: unknown[]) => unknown>;
type Wrong = readonly [call: string, ...given: unknown[]];

const noLists: readonly unknown[] = [undefined, null, 5, true, { a: 1 }, () => [], Symbol('s'), 5n];
const lists: readonly (readonly [string, RegExp, ...unknown[]])[] = [
  ['base.putAll', /^Items must be/],
  ['base.importItems', /^Items must be/],
  ['base.declareIndex', /^Fields must be a list$/, 'index'],
  ['drive.deleteMany', /^Names must be a list$/],
  ['drive.move', /^Files must be a list$/],
  ['drive.copy', /^Files must be a list$/],
  ['drive.restore', /^Files must be a list$/],
  ['drive.links', /^Names must be a list$/],
  ['drive.uploadLinks', /^Names must be a list$/],
  ['drive.publish', /^Prefixes must be a list$/],
];

/** Each is called with `null` in place of its options. */
const nullOptions: readonly Wrong[] = [
  ['base.put', null, 'k'],
  ['base.insert', { a: 1 }, null],
  ['base.get', 'k'],
  ['base.update', { a: 1 }, 'k'],
  ['base.putMany', [{ a: 1 }]],
  ['base.putAll', [{ a: 1 }]],
  ['base.fetch', {}],
  ['base.items', {}],
  ['base.count', {}],
  ['base.aggregate', { n: { count: true } }, {}],
  ['base.deleteWhere', { a: 5 }],
  ['base.updateWhere', { b: 1 }, { a: 5 }],
  ['base.declareIndex', 'index', ['a']],
  ['base.indexes'],
  ['base.dropIndex', 'index'],
  ['base.stats'],
  ['base.exportItems'],
  ['base.exportLines'],
  ['base.importItems', [{ a: 1 }]],
  ['base.importLines', '{"a":1}\n'],
  ['base.delete', 'k'],
  ['base.deleteAll'],
  ['drive.put', 'f', 'text'],
  ['drive.get', 'f'],
  ['drive.change', 'f', { contentType: 'text/plain' }],
  ['drive.list'],
  ['drive.names'],
  ['drive.files'],
  ['drive.settings'],
  ['drive.uploads'],
  ['drive.listLinks'],
  ['drive.published'],
  ['drive.trash'],
  ['drive.copy', [{ from: 'f', to: 'g' }]],
  ['drive.deleteMany', ['f', 'g']],
  ['drive.delete', 'f'],
  ['drive.stats'],
  ['drive.deleteAll'],
  ['keys.create', {}],
  ['keys.create'],
  ['keys.list'],
  ['keys.page'],
  ['keys.own'],
  ['webhooks.list'],
  ['webhooks.delete', 'none'],
  ['project.bases'],
  ['project.drives'],
  ['project.changesPage'],
];

describe('values that the compiler refuses', () => {
  const service = ownService();
  let calls: Readonly<Record<string, Calls>>;
  let project: Basedrive;
  before(() => {
    project = Basedrive(key, { url: service.url });
    const [base, drive] = [project.Base('wrong'), project.Drive('wrong')];
    calls = { base, drive, keys: project.keys, webhooks: project.webhooks, project } as never;
  });

  /** Calls it, and takes the first element of an iteration. */
  async function call(path: string, ...given: readonly unknown[]): Promise<unknown> {
    const [of = '', name = ''] = path.split('.');
    const result = await calls[of]?.[name]?.(...given);
    if (Symbol.asyncIterator in Object(result))
      return await (result as AsyncGenerator<unknown>)[Symbol.asyncIterator]().next();
    return result;
  }
  const invalid = (message: RegExp) => ({ name: 'BasedriveError', code: 'invalid', message });

  for (const [path, message, ...before] of lists) {
    test(`${path} says that it needs a list`, async () => {
      for (const given of noLists) await assert.rejects(call(path, ...before, given, {}), invalid(message));
    });
  }

  for (const [path, ...given] of nullOptions) {
    test(`${path}(${given.length} values, null) has no options`, async () => {
      await call(path, ...given, null);
    });
  }

  test('null that is no option is what it was', async () => {
    assert.deepEqual(await project.Base('nulls').put(null, 'k'), { key: 'k', value: null });
    await assert.rejects(call('base.get', null), invalid(/^Key is empty$/));
    await assert.rejects(call('drive.emptyTrash', null), invalid(/^Ids must be a list$/));
    assert.equal(await project.Drive('nulls').emptyTrash(), 0);
    await project
      .Base('nulls')
      .transaction((tx) => [tx.put({ a: 1 }, 'a', null as never), tx.check('b', null)]);
  });

  test('a transaction is a function that returns operations', async () => {
    const message = /^A transaction must be a function that returns a list of operations$/;
    const wrong = [
      undefined,
      null,
      5,
      'text',
      [],
      {},
      () => undefined,
      () => 5,
      () => [undefined],
      async () => [],
    ];
    for (const given of wrong) await assert.rejects(call('base.transaction', given), invalid(message));
  });

  test('what is missing is named by the service', async () => {
    for (const nothing of [undefined, null, 5]) {
      const refused = { name: 'BasedriveError', code: 'refused' };
      await assert.rejects(call('webhooks.create', nothing), { ...refused, message: /url/ });
      await assert.rejects(call('drive.link', 'f', nothing), { ...refused, message: /expires_in/ });
      await assert.rejects(call('drive.uploadLink', 'f', nothing), { ...refused, message: /expires_in/ });
      await assert.rejects(call('drive.change', 'f', nothing), refused);
    }
  });

  test('updates are an object: elements of a list would become attributes', async () => {
    await project.Base('updates').put({ a: 1 }, 'k');
    for (const wrong of ['text', [1], 5, true, () => 1]) {
      const message = /^Updates must be an object$/;
      const base = project.Base('updates');
      await assert.rejects(base.update(wrong as never, 'k'), invalid(message));
      await assert.rejects(base.updateWhere(wrong as never, { a: 1 }), invalid(message));
      await assert.rejects(
        base.transaction((tx) => [tx.update(wrong as never, 'k')]),
        invalid(message),
      );
    }
    assert.deepEqual(await project.Base('updates').get('k'), { key: 'k', a: 1 });
  });

  test('what is no JSON, no function, no path and no name is named', async () => {
    const notJson = invalid(/^The data cannot be written as JSON$/);
    const query = () => 1;
    await assert.rejects(
      project
        .Base('b')
        .changes({ query: query as never })
        .next(),
      notJson,
    );
    const drive = project.Drive('d');
    for (const wrong of [undefined, null, 5, [], {}]) {
      const given = wrong as never;
      assert.throws(() => project.Base('b').live({}, given), invalid(/^onChange must be a function$/));
      assert.throws(() => drive.live({}, given), invalid(/^onChange must be a function$/));
      assert.throws(() => drive.publicUrl(given), invalid(/^Name must be a string$/));
      await assert.rejects(uploadFolder(drive, given), invalid(/^Folder must be a path$/));
      await assert.rejects(downloadFolder(drive, given), invalid(/^Folder must be a path$/));
    }
  });

  test('null in place of an option is none', async () => {
    const { Base, Drive } = Basedrive(key, { url: service.url, retry: null as never });
    assert.equal(await Base('options').get('none'), null);
    await Drive('options').put('f', 'x', { metadata: null as never });
  });

  test('a key, an address and a host are texts', () => {
    for (const wrong of [5, true, {}, [], () => '', Symbol('s'), 5n]) {
      const given = wrong as never;
      assert.throws(() => Basedrive(given), invalid(/^Project key must be a string$/));
      assert.throws(() => openBase('b', { key, url: given }), invalid(/^url must be a string$/));
      assert.throws(() => project.Base('b', given), invalid(/^host must be a string$/));
    }
    for (const none of [null, undefined]) {
      project.Base('b', none as never);
      Basedrive(key, none as never).Base('b');
      assert.throws(() => openBase('b', none as never), BasedriveError);
    }
  });
});
