import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { openSession, request, startService, textOf } from '../support/mcp-session.js';

interface Facts {
  readonly size: number;
  readonly content_type: string;
  readonly offset: number;
  readonly bytes: number;
  readonly next_offset?: number;
}

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

async function store(url: string, name: string, body: Uint8Array | string, type?: string): Promise<void> {
  const path = `files/files?name=${encodeURIComponent(name)}`;
  const headers = { 'Content-Type': type ?? '' };
  await request(url, path, { method: 'POST', body, headers });
}

function factsOf(result: CallToolResult): Facts {
  assert.ok(!result.isError, textOf(result));
  return JSON.parse(textOf(result)) as Facts;
}

function blobOf({ content: [, part] }: CallToolResult): Buffer {
  assert.ok(part?.type === 'resource' && 'blob' in part.resource, JSON.stringify(part).slice(0, 100));
  return Buffer.from(part.resource.blob, 'base64');
}

test('a text is read part by part, and no character is cut', async (context) => {
  const { url } = await startService(context);
  const text = 'aé€😀'.repeat(30_000);
  await store(url, 'long.txt', text, 'text/plain');
  const { call } = await openSession(context, url, { options: [] });
  for (const length of [undefined, 10_001, 65_537]) {
    let read = '';
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const result = await call('read_file', { drive: 'files', name: 'long.txt', offset, length });
      const facts = factsOf(result);
      assert.equal(facts.size, 300_000);
      assert.equal(facts.offset, offset);
      assert.ok(
        (facts.bytes <= (length ?? 65_536) && facts.bytes > (length ?? 65_536) - 4) || !facts.next_offset,
      );
      const part = result.content[1];
      assert.ok(part?.type === 'text');
      assert.equal(Buffer.byteLength(part.text), facts.bytes);
      read += part.text;
      offset = facts.next_offset;
    }
    assert.equal(read, text);
  }
});

test('bytes that are no text come as base64, part by part', async (context) => {
  const { url } = await startService(context);
  const bytes = randomBytes(150_000);
  await store(url, 'a dir/ü.bin', bytes, 'application/x-thing');
  await store(url, 'zero.txt', Buffer.from('a\0b'), 'text/plain');
  const { call } = await openSession(context, url, { options: [] });
  const parts: Buffer[] = [];
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const result: CallToolResult = await call('read_file', { drive: 'files', name: 'a dir/ü.bin', offset });
    parts.push(blobOf(result));
    offset = factsOf(result).next_offset;
    const part = result.content[1];
    assert.ok(part?.type === 'resource');
    assert.equal(part.resource.uri, 'basedrive://demo/files/a%20dir/%C3%BC.bin');
    assert.equal(part.resource.mimeType, 'application/x-thing');
  }
  assert.deepEqual(Buffer.concat(parts), bytes);
  assert.deepEqual(
    blobOf(await call('read_file', { drive: 'files', name: 'zero.txt' })),
    Buffer.from('a\0b'),
  );
});

test('an image comes whole as an image, if it is one and not too large', async (context) => {
  const { url } = await startService(context);
  const large = Buffer.concat([png, randomBytes(500_000)]);
  const tooLarge = Buffer.concat([png, randomBytes(1024 * 1024)]);
  await store(url, 'dot.png', png, 'image/png');
  await store(url, 'large.png', large, 'image/jpeg; charset=none');
  await store(url, 'huge.png', tooLarge, 'image/png');
  await store(url, 'false.png', randomBytes(100_000), 'image/png');
  await store(url, 'shape.svg', '<svg/>', 'image/svg+xml');
  const { call } = await openSession(context, url, { options: [] });
  const read = async (name: string, part: object = {}) =>
    await call('read_file', { drive: 'files', name, ...part });
  assert.deepEqual((await read('dot.png')).content[1], {
    type: 'image',
    data: png.toString('base64'),
    mimeType: 'image/png',
  });
  // Its bytes say what it is, and not whoever stored it.
  assert.deepEqual((await read('large.png')).content[1], {
    type: 'image',
    data: large.toString('base64'),
    mimeType: 'image/png',
  });
  assert.equal(blobOf(await read('huge.png')).length, 65_536);
  assert.equal(factsOf(await read('huge.png')).next_offset, 65_536);
  assert.equal(blobOf(await read('false.png')).length, 65_536);
  assert.equal(factsOf(await read('false.png')).next_offset, 65_536);
  assert.deepEqual(blobOf(await read('dot.png', { length: 8 })), png.subarray(0, 8));
  assert.deepEqual((await read('shape.svg')).content[1], { type: 'text', text: '<svg/>' });
});

test('an empty file is an empty text, and nothing is read behind the end', async (context) => {
  const { url } = await startService(context);
  await store(url, 'empty', '', 'text/plain');
  await store(url, 'short', 'abc', 'text/plain');
  const { call, refusal } = await openSession(context, url, { options: [] });
  const empty = await call('read_file', { drive: 'files', name: 'empty' });
  assert.deepEqual(empty.content[1], { type: 'text', text: '' });
  assert.deepEqual([factsOf(empty).size, factsOf(empty).next_offset], [0, undefined]);
  const end = await call('read_file', { drive: 'files', name: 'short', offset: 2, length: 50 });
  assert.deepEqual(end.content[1], { type: 'text', text: 'c' });
  assert.match(
    await refusal('read_file', { drive: 'files', name: 'short', offset: 3 }),
    /^offset: .*status 416/,
  );
});

test('names with every kind of character work, and so do attributes', async (context) => {
  const { url } = await startService(context);
  const { call, read } = await openSession(context, url);
  const names = [
    '__proto__',
    'constructor',
    '../../etc/passwd',
    'a b+c%2F?x=1&y#z',
    '"\\\'`$(x)',
    '日本 😀',
    ' ',
    '\u202Eabc',
  ];
  for (const name of names) {
    const item = JSON.parse(
      `{"key":${JSON.stringify(name)},"__proto__":{"toString":1},"constructor":null}`,
    ) as object;
    await read('put_items', { base: name, items: [item] });
    await read('update_item', { base: name, key: name, set: JSON.parse('{"__proto__.x":2}') as object });
    const { content } = await call('get_item', { base: name, key: name });
    const changed = `{"key":${JSON.stringify(name)},"__proto__":{"toString":1,"x":2},"constructor":null}`;
    assert.deepEqual(content, [{ type: 'text', text: `{"item":${changed}}` }]);
    assert.deepEqual(await read('count_items', { base: name, query: JSON.parse('{"__proto__.x":2}') }), {
      count: 1,
    });
    if (name.trim() === '') continue;
    await read('put_file', { drive: name, name, text: name });
    const file = await call('read_file', { drive: name, name });
    assert.deepEqual(file.content[1], { type: 'text', text: name });
    const { structuredContent } = await call('list_files', { drive: name });
    assert.deepEqual((structuredContent as { files: { name: string }[] }).files[0]?.name, name);
    await read('delete_file', { drive: name, name });
  }
  const { bases } = await read<{ bases: string[] }>('list_bases', {});
  assert.deepEqual(bases.sort(), [...names].sort());
});
