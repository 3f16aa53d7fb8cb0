import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSession, request, startService, textOf } from '../support/mcp-session.js';

interface Page {
  readonly items: readonly { readonly key: string; readonly n: number }[];
  readonly last?: string;
  readonly too_large?: readonly { readonly key: string; readonly bytes: number }[];
}

const count = 60;
/** Items of 1,000 to 10,000 bytes, and one of 300,000. */
const items = Array.from({ length: count }, (_, index) => ({
  key: `k${String(index).padStart(2, '0')}`,
  n: (index * 7) % 10,
  text: 'x'.repeat(index === 30 ? 300_000 : 1000 * ((index % 10) + 1)),
}));

async function filledService(context: Parameters<typeof startService>[0]): Promise<string> {
  const { url } = await startService(context);
  for (let at = 0; at < count; at += 20) {
    const body = JSON.stringify({ items: items.slice(at, at + 20) });
    await request(url, 'big/items', { method: 'PUT', body });
  }
  return url;
}

test('pages of items are bounded by number and by bytes, and lead to all items', async (context) => {
  const url = await filledService(context);
  const { call, read } = await openSession(context, url, { options: [] });
  for (const order of [undefined, ['n'], ['-n', 'text']]) {
    const keys: string[] = [];
    const passedOver: string[] = [];
    let last: string | undefined;
    do {
      const result = await call('query_items', { base: 'big', order, last, limit: 10, max_bytes: 20_000 });
      const page = JSON.parse(textOf(result)) as Page;
      // Beside the items there is `last`, which holds the values that order them.
      assert.ok(Buffer.byteLength(JSON.stringify(page.items)) < 20_100);
      assert.ok(page.items.length <= 10);
      keys.push(...page.items.map((item) => item.key));
      for (const { key, bytes } of page.too_large ?? []) {
        assert.ok(bytes > 300_000);
        passedOver.push(key);
      }
      last = page.last;
    } while (last !== undefined);
    assert.deepEqual(passedOver, ['k30']);
    assert.deepEqual(
      [...keys, 'k30'].sort(),
      items.map((item) => item.key),
    );
  }
  const whole = await read<Page>('query_items', { base: 'big', query: { key: 'k30' }, max_bytes: 400_000 });
  assert.equal(whole.items.length, 1);
  const selected = await read<Page>('query_items', { base: 'big', query: { key: 'k30' }, select: ['n'] });
  assert.deepEqual(selected, { items: [{ key: 'k30', n: 0 }] });
});

test('an item that is larger than max_bytes is read with a larger one', async (context) => {
  const url = await filledService(context);
  const { read, refusal } = await openSession(context, url, { options: [] });
  assert.match(
    await refusal('get_item', { base: 'big', key: 'k30' }),
    /^The item has 3000\d\d bytes, more than max_bytes \(50000\)/,
  );
  const { item } = await read<{ item: { text: string } }>('get_item', {
    base: 'big',
    key: 'k30',
    max_bytes: 301_000,
  });
  assert.equal(item.text.length, 300_000);
});

test('pages of names lead to all bases and files', async (context) => {
  const { url } = await startService(context);
  // Names that need several pages by their bytes.
  const long = Array.from(
    { length: 60 },
    (_, index) => `${String(index).padStart(2, '0')}${'n'.repeat(1000)}`,
  );
  for (const name of long) {
    await request(url, `files/files?name=${name}`, { method: 'POST', body: 'x' });
  }
  for (let index = 0; index < 7; index++) {
    await request(url, `base-${index}/items`, { method: 'PUT', body: '{"items":[{}]}' });
  }
  const { read } = await openSession(context, url, { options: [] });
  const bases: string[] = [];
  const first = await read<{ bases: string[]; last: string }>('list_bases', { limit: 3 });
  assert.deepEqual(first, { bases: ['base-0', 'base-1', 'base-2'], last: 'base-2' });
  for (let last: string | undefined = ''; last !== undefined; ) {
    const page: { bases: string[]; last?: string } = await read('list_bases', {
      prefix: 'base-',
      limit: 3,
      ...(last && { last }),
    });
    bases.push(...page.bases);
    last = page.last;
  }
  assert.equal(bases.length, 7);
  const names: string[] = [];
  let pages = 0;
  for (let last: string | undefined = ''; last !== undefined; pages++) {
    const page: { files: { name: string }[]; last?: string } = await read('list_files', {
      drive: 'files',
      ...(last && { last }),
    });
    assert.ok(JSON.stringify(page).length < 60_000);
    names.push(...page.files.map((file) => file.name));
    last = page.last;
  }
  assert.deepEqual(names, long);
  assert.ok(pages > 1);
});
