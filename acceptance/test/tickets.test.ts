import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Change, openFeed } from '../src/feed.js';
import { type Base, freshBase, freshDrive, freshName } from '../src/names.js';
import { expectErrors, expectStatus } from './support/expect.js';
import { createKey } from './support/keys.js';
import { linksOf } from './support/links.js';
import { useService } from './support/service.js';

const accept = 'text/event-stream';

/** docs/http.md#create-ticket. What a ticket shows: changes.test.ts. When it ends: the server's test/testing/tickets. */
describe('tickets cannot be changed', { concurrency: true }, () => {
  const service = useService();
  const { readLink, writeLink, store } = linksOf(service);
  const nameOf = ({ root }: Base) => decodeURIComponent(root.split('/').at(-1) ?? '');

  async function ticket(json: object, key?: string): Promise<string> {
    const { api } = service;
    const path = `/v1/${api.target.project}/changes/tickets`;
    const reply = await api.send('POST', path, { json, ...(key !== undefined && { key }) });
    expectStatus(reply, 201);
    return new URL(reply.json<{ url: string }>().url).pathname;
  }
  const tokenOf = (path: string) => path.split('/')[2] ?? '';
  const open = (path: string, headers: Record<string, string> = {}) =>
    openFeed(service.api, path, { accept, key: null, headers });
  const expectRefused = async (path: string) =>
    expectErrors(
      await service.api.send('GET', path, { key: null }),
      403,
      /^Forbidden: the ticket is not valid/,
    );

  test('in any of their characters', async () => {
    const path = await ticket({ bases: [freshName('base')] });
    const begin = '/changes/'.length;
    for (let at = begin; at < path.length; at++) {
      const character = path[at] as string;
      const swapped =
        character === character.toUpperCase() ? character.toLowerCase() : character.toUpperCase();
      for (const other of [swapped, character === 'A' ? 'B' : 'A', '', character.repeat(2)]) {
        const changed = path.slice(0, at) + other + path.slice(at + 1);
        if (changed !== path) await expectRefused(changed);
      }
    }
    const stream = await open(path);
    assert.equal(stream.status, 200);
    stream.cut();
  });

  test('nor put together from others, nor made from a link, nor used as one', async () => {
    const drive = freshDrive(service.api);
    await store(drive, 'a', 'x');
    const [mine, wider] = [await ticket({ bases: [freshName('base')] }), await ticket({})];
    const [id, payload, signature] = tokenOf(mine).split('.') as [string, string, string];
    const [, others] = tokenOf(wider).split('.') as [string, string];
    const forged = (change: object) => {
      const made = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), ...change };
      return Buffer.from(JSON.stringify(made)).toString('base64url');
    };
    const links = [await readLink(drive, 'a'), await writeLink(drive, 'b')].map(
      (url) => new URL(url).pathname,
    );
    for (const token of [
      `${id}.${others}.${signature}`,
      `${id}.${forged({ parameters: {} })}.${signature}`,
      `${id}.${forged({ project: 'other' })}.${signature}`,
      `${id}.${forged({ expiresAtSeconds: 4_000_000_000 })}.${signature}`,
      `nobody.${payload}.${signature}`,
      `${id}.${payload}.${'A'.repeat(43)}`,
      ...links.map(tokenOf),
    ])
      await expectRefused(`/changes/${token}`);
    for (const method of ['GET', 'POST'])
      expectStatus(await service.api.send(method, `/links/${tokenOf(mine)}/a`, { key: null }), 403);
  });

  test('a cursor of the reader, in whatever form, shows no more than the key that made it may see', async () => {
    const { api } = service;
    const [seen, hidden] = [freshBase(api), freshBase(api)];
    const drive = freshDrive(api);
    const { key } = await createKey(api, { access: 'read', bases: [nameOf(seen)], prefix: 'a/' });
    for (const base of [seen, hidden]) await base.put({ key: 'a/1' }, { key: 'b/1' });
    await store(drive, 'a/1', 'x');
    const path = await ticket({ since: '0' }, key);
    const narrowed = await ticket({ since: '0', bases: [nameOf(seen), nameOf(hidden)], prefix: '' }, key);
    const first = await open(path);
    const expected = [{ base: nameOf(seen), key: 'a/1', type: 'put', item: { key: 'a/1' } }];
    let cursor = '';
    const read = async (stream: Awaited<ReturnType<typeof open>>) => {
      assert.equal(stream.status, 200);
      const changes: Change[] = [];
      for (;;) {
        const { value, done } = await stream.lines.next();
        assert.ok(!done);
        if (value.startsWith('id: ')) cursor = value.slice('id: '.length);
        if (value.startsWith('data: {"')) changes.push(JSON.parse(value.slice('data: '.length)));
        if (value === 'data: {}') break;
      }
      stream.cut();
      return changes;
    };
    assert.deepEqual(await read(first), expected);
    assert.deepEqual(await read(await open(narrowed)), expected);
    const [epoch, next] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    for (const snapshot of [
      ['bases', nameOf(hidden), ''],
      ['bases', nameOf(seen), ''],
      ['bases', '', ''],
      ['drives', '', ''],
      ['drives', decodeURIComponent(drive.root.split('/').at(-1) ?? ''), ''],
    ]) {
      const made = Buffer.from(JSON.stringify([epoch, next, 0, ...snapshot])).toString('base64url');
      for (const change of await read(await open(path, { 'Last-Event-ID': made })))
        assert.deepEqual(change, expected[0]);
    }
  });

  test('are made by no signed key, which nobody could end', async () => {
    const { api } = service;
    const { key } = await createKey(api, { access: 'read', stored: false, expires_in: 60 });
    const reply = await api.send('POST', `/v1/${api.target.project}/changes/tickets`, { json: {}, key });
    expectStatus(reply, 403);
  });
});
