import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Drive, freshDrive } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { createKey, deleteKey } from './support/keys.js';
import { linksOf, type MadeLink } from './support/links.js';
import { useService } from './support/service.js';

interface ListedLink extends MadeLink {
  readonly id: string;
  readonly created: number;
  readonly [member: string]: unknown;
}

/** docs/http.md#list-links, docs/http.md#end-link */
describe('links that a drive lists', { concurrency: true }, () => {
  const service = useService();
  const { create, linkOf, use, store, expectInvalid } = linksOf(service);
  const asked = { expires_in: 600, listed: true };

  async function make(drive: Drive, json: object, key?: string): Promise<readonly ListedLink[]> {
    const reply = await create(drive, { ...asked, ...json }, key);
    expectStatus(reply, 201);
    return reply.json<{ links: ListedLink[] }>().links;
  }
  const ask = (drive: Drive, query = '', key?: string) =>
    service.api.send('GET', `${drive.root}/links${query}`, key === undefined ? {} : { key });
  const listed = async (drive: Drive, query = '', key?: string) => {
    const reply = await ask(drive, query, key);
    expectStatus(reply, 200);
    return reply.json<{ paging?: { size: number; last: string }; links: ListedLink[] }>();
  };
  const end = (drive: Drive, id: string, key?: string) =>
    service.api.send('DELETE', `${drive.root}/links?id=${id}`, key === undefined ? {} : { key });
  const namesOf = (links: readonly ListedLink[]) => links.map(({ name }) => name).toSorted();

  test('are there with all that they allow, and with the URL that was given', async () => {
    const drive = freshDrive(service.api);
    const [read] = await make(drive, { name: 'in/a', method: 'GET', disposition: 'attachment' });
    const [write] = await make(drive, {
      name: 'in/b',
      method: 'POST',
      max_bytes: 2e8,
      parts: true,
      content_type: 'Image/*',
      overwrite: true,
    });
    await linkOf(drive, { name: 'in/c', method: 'GET' });
    const { links, paging } = await listed(drive);
    assert.equal(paging, undefined);
    const of = (name: string) => {
      const { created, ...link } = links.find((one) => one.name === name) as ListedLink;
      assert.ok(Number.isInteger(created) && created <= link.expires - 600);
      return link;
    };
    assert.deepEqual(namesOf(links), ['in/a', 'in/b']);
    assert.deepEqual(of('in/a'), { ...read, method: 'GET', disposition: 'attachment' });
    const allowed = { max_bytes: 2e8, parts: true, content_type: 'image/*', overwrite: true };
    assert.deepEqual(of('in/b'), { ...write, method: 'POST', ...allowed });
  });

  test('end one by one, at once, and the others go on', async () => {
    const drive = freshDrive(service.api);
    await store(drive, 'f', 'x');
    const [one, two] = (await make(drive, { names: ['f', 'f'], method: 'GET' })) as [ListedLink, ListedLink];
    const [upload] = (await make(drive, { name: 'g', method: 'POST' })) as [ListedLink];
    const other = await linkOf(drive, { name: 'f', method: 'GET' });
    expectStatus(await use('GET', one.url), 200);
    expectJson(await end(drive, one.id), 200, { id: one.id });
    expectJson(await end(drive, upload.id), 200, { id: upload.id });
    expectInvalid(await use('GET', one.url));
    expectInvalid(await use('POST', upload.url, { body: 'x' }));
    for (const url of [two.url, other]) expectStatus(await use('GET', url), 200);
    assert.deepEqual(
      (await listed(drive)).links.map(({ id }) => id),
      [two.id],
    );
    expectErrors(await end(drive, one.id), 404, /^Link not found/);
  });

  test('keep neither a drive nor a file', async () => {
    const drive = freshDrive(service.api);
    const [{ url }] = (await make(drive, { name: 'f', method: 'GET' })) as [ListedLink];
    const { api } = service;
    const names = async () =>
      (await api.send('GET', `/v1/${api.target.project}/drives?prefix=${drive.name}`)).json<{
        drives: unknown[];
      }>();
    assert.deepEqual((await names()).drives, []);
    expectStatus(await use('GET', url), 404);
  });

  test('come in pages, the newest first, and by the beginning of names', async () => {
    const drive = freshDrive(service.api);
    const names = Array.from({ length: 250 }, (_, n) => `${n % 2 === 0 ? 'even' : 'odd'}/${n}`);
    await make(drive, { names, method: 'GET' });
    const seen: ListedLink[] = [];
    for (let last: string | undefined = ''; last !== undefined; ) {
      const page: Awaited<ReturnType<typeof listed>> = await listed(drive, `?limit=100&last=${last}`);
      seen.push(...page.links);
      last = page.paging?.last;
    }
    assert.deepEqual(namesOf(seen), names.toSorted());
    const ids = seen.map(({ id }) => id);
    assert.deepEqual(ids, ids.toSorted().toReversed());
    assert.equal((await listed(drive, '?prefix=even/')).links.length, 125);
    expectErrors(await ask(drive, '?last=x'), 400, /^last: /);
    expectErrors(await ask(drive, '?limit=0'), 400, /^limit: /);
  });

  test('are told with their URLs to the key that made them, and to keys without limits', async () => {
    const { api } = service;
    const drive = freshDrive(api);
    const limited = await createKey(api, { expires_in: 60 });
    const signed = await createKey(api, { stored: false, expires_in: 60 });
    const [theirs] = (await make(drive, { name: 'theirs', method: 'GET' })) as [ListedLink];
    const [own] = (await make(drive, { name: 'own', method: 'GET' }, limited.key)) as [ListedLink];
    const urls = async (key?: string) =>
      Object.fromEntries((await listed(drive, '', key)).links.map(({ name, url }) => [name, url]));
    assert.deepEqual(await urls(), { theirs: theirs.url, own: own.url });
    assert.deepEqual(await urls(limited.key), { theirs: undefined, own: own.url });
    assert.deepEqual(await urls(signed.key), { theirs: undefined, own: undefined });
    expectJson(await end(drive, theirs.id, signed.key), 200, { id: theirs.id });
  });

  test('are those that a limited key could have made, and end with the key that made them', async () => {
    const { api } = service;
    const drive = freshDrive(api);
    const limits = { drives: [drive.name], prefix: 'in/', expires_in: 3600 };
    const [one, two] = [await createKey(api, limits), await createKey(api, limits)];
    await make(drive, { name: 'in/a', method: 'GET' }, one.key);
    const [outside] = (await make(drive, { name: 'out', method: 'GET' })) as [ListedLink];
    assert.deepEqual(namesOf((await listed(drive, '', two.key)).links), ['in/a']);
    expectErrors(await end(drive, outside.id, two.key), 404);
    assert.deepEqual(namesOf((await listed(drive)).links), ['in/a', 'out']);
    for (const access of ['read', 'write']) {
      const { key } = await createKey(api, { access, expires_in: 3600 });
      expectErrors(await ask(drive, '', key), 403, /^Forbidden: the operation needs full access/);
      expectErrors(await end(drive, outside.id, key), 403);
    }
    await deleteKey(api, one);
    assert.deepEqual(namesOf((await listed(drive)).links), ['out']);
  });

  test('and what is asked wrongly is refused', async () => {
    const drive = freshDrive(service.api);
    expectErrors(
      await create(drive, { name: 'f', method: 'GET', expires_in: 1, listed: 1 }),
      400,
      /^listed: /,
    );
    expectErrors(await end(drive, ''), 400, /^id: is required/);
    for (const id of ['x', '0'.repeat(44), '%00', '..%2f']) expectErrors(await end(drive, id), 404);
  });
});
