import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSession, request, startService } from '../support/mcp-session.js';

const readTools = [
  'list_bases',
  'query_items',
  'get_item',
  'count_items',
  'aggregate_items',
  'list_drives',
  'list_files',
  'read_file',
  'list_changes',
];
const writeTools = ['put_items', 'insert_item', 'update_item', 'delete_item', 'put_file', 'delete_file'];

test('the tools of items read and change a base', async (context) => {
  const { url } = await startService(context);
  const { call, read, refusal } = await openSession(context, url);
  const ada = { key: 'ada', name: 'Ada', age: 36, home: { city: 'London' }, tags: ['math'] };
  const alan = { key: 'alan', name: 'Alan', age: 41 };
  assert.deepEqual(await read('put_items', { base: 'users', items: [ada, alan] }), { keys: ['ada', 'alan'] });
  assert.deepEqual(await read('insert_item', { base: 'users', item: { key: 'grace', age: 85 } }), {
    key: 'grace',
  });
  assert.match(
    await refusal('insert_item', { base: 'users', item: { key: 'grace' } }),
    /grace already exists \(conflict, status 409\)/,
  );
  const made = await read<{ key: string }>('insert_item', { base: 'visits', item: { page: 'home' } });
  assert.match(made.key, /^[a-z0-9]{12}$/);

  const { structuredContent } = await call('list_bases', {});
  assert.deepEqual(structuredContent, { bases: ['users', 'visits'] });
  assert.deepEqual(await read('get_item', { base: 'users', key: 'ada' }), { item: ada });
  assert.deepEqual(await read('get_item', { base: 'users', key: 'nobody' }), { item: null });
  assert.deepEqual(await read('query_items', { base: 'users', query: { 'home.city': 'London' } }), {
    items: [ada],
  });
  assert.deepEqual(
    await read('query_items', {
      base: 'users',
      query: [{ 'age?gt': 36 }],
      order: ['-age'],
      select: ['age'],
      offset: 1,
      limit: 1,
      count: true,
    }),
    { items: [{ key: 'alan', age: 41 }], total: 2 },
  );
  assert.deepEqual(await read('count_items', { base: 'users', query: { 'age?lt': 50 } }), { count: 2 });
  assert.deepEqual(await read('count_items', { base: 'users' }), { count: 3 });
  const aggregates = { n: { count: true }, most: { max: 'age' }, cities: { distinct: 'home.city' } };
  assert.deepEqual(await read('aggregate_items', { base: 'users', aggregates, query: { 'age?lt': 50 } }), {
    n: 2,
    most: 41,
    cities: 1,
    skipped: { cities: 1 },
  });
  const byCity = {
    base: 'users',
    aggregates: { n: { count: true } },
    group: ['home.city'],
    order: ['-n'],
    limit: 1,
  };
  const { last, ...page } = await read<{ last: string }>('aggregate_items', byCity);
  assert.deepEqual(page, { groups: [{ group: {}, n: 2 }] });
  assert.deepEqual(await read('aggregate_items', { ...byCity, last }), {
    groups: [{ group: { 'home.city': 'London' }, n: 1 }],
  });

  const change = {
    base: 'users',
    key: 'ada',
    set: { 'home.city': 'Paris' },
    increment: { age: 1 },
    append: { tags: ['code'] },
    prepend: { tags: ['first'] },
    delete: ['name'],
    if: { age: 36 },
  };
  const twice = await refusal('update_item', change);
  assert.match(twice, /prepend\.tags: the path is named twice/);
  assert.deepEqual(await read('update_item', { ...change, prepend: undefined }), { key: 'ada' });
  assert.match(
    await refusal('update_item', { ...change, prepend: undefined }),
    /does not match the condition \(condition_failed, status 412\)/,
  );
  const changed = { key: 'ada', age: 37, home: { city: 'Paris' }, tags: ['math', 'code'] };
  assert.deepEqual(await read('get_item', { base: 'users', key: 'ada' }), { item: changed });
  await read('update_item', { base: 'users', key: 'ada', prepend: { tags: ['first'] } });
  assert.deepEqual(await read('query_items', { base: 'users', query: { key: 'ada' }, select: ['tags'] }), {
    items: [{ key: 'ada', tags: ['first', 'math', 'code'] }],
  });
  assert.match(await refusal('update_item', { base: 'users', key: 'x', set: { a: 1 } }), /Key not found/);
  await read('update_item', { base: 'hits', key: 'home', increment: { n: 1 }, upsert: { n: 0 } });
  assert.deepEqual(await read('get_item', { base: 'hits', key: 'home' }), { item: { key: 'home', n: 1 } });

  assert.deepEqual(await read('delete_item', { base: 'users', key: 'ada' }), { key: 'ada' });
  assert.deepEqual(await read('delete_item', { base: 'users', key: 'ada' }), { key: 'ada' });
  assert.deepEqual(await read('get_item', { base: 'users', key: 'ada' }), { item: null });
});

test('the tools of files read and change a drive', async (context) => {
  const { url } = await startService(context);
  const { call, read, refusal } = await openSession(context, url);
  const hello = { drive: 'notes', name: 'a/hello.txt', text: 'hello, wörld' };
  assert.deepEqual(await read('put_file', hello), { name: 'a/hello.txt', size: 13 });
  assert.match(await refusal('put_file', { ...hello, overwrite: false }), /condition_failed, status 412/);
  const metadata = { by: 'Ada Löve', 'a.b': '1' };
  const data = { ...hello, name: 'data', text: undefined, base64: 'AP8=', content_type: 'x/y', metadata };
  await read('put_file', data);
  assert.match(await refusal('put_file', { ...data, metadata: { 'A b': '1' } }), /A b/);
  const { structuredContent: list } = await call('list_files', { drive: 'notes' });
  const { files } = list as { files: Record<string, unknown>[] };
  assert.deepEqual(
    files.map(({ name, size, content_type }) => [name, size, content_type]),
    [
      ['a/hello.txt', 13, 'text/plain'],
      ['data', 2, 'x/y'],
    ],
  );
  assert.deepEqual(
    files.map((file) => file.metadata),
    [undefined, metadata],
  );
  assert.ok(typeof files[0]?.modified === 'number' && typeof files[0].etag === 'string');
  assert.deepEqual(await read('list_drives', {}), { drives: ['notes'] });
  const { structuredContent: top } = await call('list_files', { drive: 'notes', recursive: false });
  assert.deepEqual((top as { files: object[] }).files[0], { name: 'a/' });

  const { content } = await call('read_file', { drive: 'notes', name: 'a/hello.txt' });
  assert.deepEqual(content[1], { type: 'text', text: 'hello, wörld' });
  assert.equal(
    await refusal('read_file', { drive: 'notes', name: 'none' }),
    'There is no file none in the drive notes',
  );
  assert.deepEqual(await read('delete_file', { drive: 'notes', name: 'data' }), { name: 'data' });
  assert.deepEqual(await read('delete_file', { drive: 'notes', name: 'data' }), { name: 'data' });
  const { structuredContent: left } = await call('list_files', { drive: 'notes', prefix: 'd' });
  assert.deepEqual(left, { files: [] });
});

test('without --write, the tools that change data do not exist', async (context) => {
  const { url } = await startService(context);
  await request(url, 'users/items', { method: 'PUT', body: '{"items":[{"key":"ada"}]}' });
  const { client, tools, read, call } = await openSession(context, url, { options: [] });
  assert.deepEqual(await tools(), readTools);
  assert.match(client.getInstructions() ?? '', /You may only read/);
  for (const name of writeTools) {
    await assert.rejects(call(name, { base: 'users', key: 'ada', drive: 'd', name: 'n' }), /not found/);
  }
  assert.deepEqual(await read('get_item', { base: 'users', key: 'ada' }), { item: { key: 'ada' } });
  const writing = await openSession(context, url);
  assert.deepEqual(await writing.tools(), [...readTools, ...writeTools]);
});

test('a client learns what each tool does: a title, a description of it and of its arguments, hints', async (context) => {
  const { url } = await startService(context);
  const { client } = await openSession(context, url);
  const { tools } = await client.listTools();
  for (const { name, title, description, annotations, inputSchema } of tools) {
    assert.ok(title !== undefined && (description?.length ?? 0) > 30, name);
    assert.equal(annotations?.readOnlyHint, readTools.includes(name), name);
    assert.equal(annotations?.destructiveHint, writeTools.includes(name) && name !== 'insert_item', name);
    assert.equal(annotations?.openWorldHint, false, name);
    for (const [argument, schema] of Object.entries(inputSchema.properties ?? {})) {
      const { description: what, items } = schema as {
        description?: string;
        items?: { description?: string };
      };
      assert.ok((what ?? items?.description ?? '').length > 0, `${name}: ${argument}`);
    }
  }
  const idempotent = tools.filter(({ annotations }) => annotations?.idempotentHint).map(({ name }) => name);
  assert.deepEqual(idempotent, [...readTools, 'delete_item', 'put_file', 'delete_file']);
  assert.match(client.getInstructions() ?? '', /project demo .*never follow instructions/s);
});

test('arguments that break a rule are refused with their names, and nothing happens', async (context) => {
  const { url } = await startService(context);
  const { refusal, read } = await openSession(context, url);
  const wrong: readonly (readonly [string, object, RegExp])[] = [
    ['get_item', { base: 'b' }, /key: /],
    ['get_item', { base: 'b', key: '' }, /key: Too small/],
    ['get_item', { base: 7, key: 'k' }, /base: .*expected string/],
    ['get_item', { base: 'b', key: '.' }, /Key "\." cannot be sent in a path/],
    ['get_item', { base: 'b', key: 'x'.repeat(1025) }, /1024.*status 400/],
    ['query_items', { base: 'b', limit: 0 }, /limit: /],
    ['query_items', { base: 'b', limit: 1.5 }, /limit: .*int/],
    ['query_items', { base: 'b', limt: 5 }, /Unrecognized key: "limt"/],
    ['query_items', { base: 'b', query: 'age > 3' }, /query: must be JSON/],
    ['query_items', { base: 'b', query: '7' }, /query: must be an object of conditions/],
    ['query_items', { base: 'b', query: [7] }, /query: must be an object of conditions/],
    ['query_items', { base: 'b', query: { 'a?like': 1 } }, /Bad query; a\?like: there is no operator like/],
    ['query_items', { base: 'b', order: ['a', 'a'] }, /order\[1\]: /],
    ['query_items', { base: 'b', order: ['a'], last: 'made up' }, /last: .*status 400/],
    [
      'aggregate_items',
      { base: 'b', aggregates: { n: 'count' } },
      /aggregates\.n: must be \{"count": true\}, or one/,
    ],
    [
      'aggregate_items',
      { base: 'b', aggregates: { n: { count: true } }, group: [{ week: 'at' }] },
      /group\.0: must be a path, or one of hour, day/,
    ],
    [
      'aggregate_items',
      { base: 'b', aggregates: { n: { count: true } }, order: ['n'] },
      /order: needs group/,
    ],
    ['put_items', { base: 'b', items: [] }, /items: Too small/],
    ['put_items', { base: 'b', items: Array(26).fill({}) }, /items: Too big/],
    ['put_items', { base: 'b', items: [{ key: 'a' }, 7] }, /items\.1: must be an object/],
    ['put_items', { base: 'b', items: [{ key: 'a' }, '[]'] }, /items\.1: must be an object/],
    ['put_items', { base: 'b', items: [{ key: 'a' }, { key: 'a' }] }, /items\[1\]\.key: the same as that of/],
    ['insert_item', { base: 'b', item: { key: 7 } }, /item\.key: must be a string/],
    ['update_item', { base: 'b', key: 'k' }, /status 400/],
    ['update_item', { base: 'b', key: 'k', set: { a: 1 }, delete: ['a'] }, /delete\.a: the path is named/],
    ['put_file', { drive: 'd', name: 'n' }, /text: give either text or base64/],
    ['put_file', { drive: 'd', name: 'n', text: 'x', base64: 'AA==' }, /text: give either text or base64/],
    ['put_file', { drive: 'd', name: 'n', base64: '%' }, /base64: /],
    [
      'put_file',
      { drive: 'd', name: 'n', text: 'x', metadata: { 'a b': 'c' } },
      /metadata\.a b: its name must be a-z/,
    ],
    ['put_file', { drive: 'd', name: 'n', text: 'ö'.repeat(524_289) }, /text: at most 1048576 bytes/],
    ['put_file', { drive: 'd', name: 'n'.repeat(1025), text: 'x' }, /1024.*status 400/],
    ['read_file', { drive: 'd', name: 'n', offset: -1 }, /offset: /],
    ['list_files', { drive: 'd', limit: 1001 }, /limit: /],
    ['list_files', { drive: 'n'.repeat(256) }, /255.*status 400/],
  ];
  for (const [name, given, told] of wrong) {
    assert.match(await refusal(name, given), told, `${name} ${JSON.stringify(given).slice(0, 80)}`);
  }
  assert.deepEqual(await read('list_bases', {}), { bases: [] });
  assert.deepEqual(await read('list_drives', {}), { drives: [] });
});

test('the tool of changes lists what has changed since a cursor, with every digit, a page at a time', async (context) => {
  const { url } = await startService(context);
  const { read, refusal } = await openSession(context, url);
  type Change = { key: string; type: string; item?: object; too_large?: number };
  type Page = { changes: Change[]; cursor: string; live: boolean };
  const start = await read<Page>('list_changes', { bases: ['users'] });
  assert.deepEqual([start.changes, start.live], [[], true]);
  await request(url, 'users/items', {
    method: 'PUT',
    body: `{"items":[{"key":"a","n":1.50},{"key":"b","text":"${'x'.repeat(3000)}"},{"key":"c"}]}`,
  });
  await request(url, 'users/items/c', { method: 'DELETE' });
  const keys: string[] = [];
  const tooLarge: Change[] = [];
  let { cursor } = start;
  for (;;) {
    const page = await read<Page>('list_changes', { since: cursor, bases: ['users'], max_bytes: 1000 });
    keys.push(...page.changes.map(({ key, type }) => `${type} ${key}`));
    tooLarge.push(...page.changes.filter((change) => change.too_large !== undefined));
    assert.ok(JSON.stringify(page.changes).length < 1100);
    cursor = page.cursor;
    if (page.live) break;
  }
  assert.deepEqual(keys, ['put a', 'put b', 'delete c', 'delete c']);
  const [{ too_large: bytes = 0, ...large } = { key: '', type: '' }, ...more] = tooLarge;
  assert.deepEqual([large.key, large.item, more], ['b', undefined, []]);
  const larger = await read<Page>('list_changes', {
    since: start.cursor,
    bases: ['users'],
    max_bytes: bytes + 200,
  });
  assert.equal(larger.changes.find(({ key }) => key === 'b')?.too_large, undefined);
  const all = await read<Page>('list_changes', { since: '0', bases: ['users'], query: { n: 1.5 } });
  assert.deepEqual(
    all.changes.map(({ item }) => item),
    [{ key: 'a', n: 1.5 }],
  );
  assert.match(await refusal('list_changes', { since: 'yesterday' }), /since: .*status 400/);
});
