import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshName } from '../src/names.js';
import { expectErrors, expectStatus } from './support/expect.js';
import { createKey, untilAnswered } from './support/keys.js';
import { useService } from './support/service.js';

interface Made {
  readonly id: string;
  readonly key: string;
}

interface Page {
  readonly paging?: { readonly size: number; readonly last: string };
  readonly keys: readonly { readonly id: string; readonly created: number }[];
}

/** docs/http.md#list-keys */
describe('many limited keys', { concurrency: true }, () => {
  const service = useService();
  const path = (query: string) => `/v1/${service.target.project}/keys${query}`;
  const pageOf = async (query: string) => {
    const reply = await service.api.send('GET', path(query));
    expectStatus(reply, 200);
    return reply.json<Page>();
  };

  test('more than a thousand of a project work at once, are listed in pages, and end', async () => {
    const prefix = freshName('of');
    const made = await Promise.all(
      Array.from({ length: 1100 }, async (): Promise<Made> => {
        const reply = await service.api.send('POST', path(''), { json: { access: 'read', prefix } });
        expectStatus(reply, 201);
        return reply.json();
      }),
    );
    const bases = `/v1/${service.target.project}/bases?limit=1`;
    const sample = made.filter((_, n) => n % 100 === 0);
    for (const { key } of sample) expectStatus(await service.api.send('GET', bases, { key }), 200);
    const found: Page['keys'][number][] = [];
    let last: string | undefined;
    do {
      const page = await pageOf(last === undefined ? '' : `?last=${encodeURIComponent(last)}`);
      assert.ok(page.keys.length <= 1000);
      found.push(...page.keys);
      last = page.paging?.last;
      if (page.paging) assert.equal(page.paging.size, page.keys.length);
    } while (last !== undefined);
    const ids = found.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    for (const { id } of made) assert.ok(ids.includes(id));
    const created = found.map((each) => each.created);
    assert.deepEqual(
      created,
      created.toSorted((a, b) => a - b),
    );
    await Promise.all(
      made.map(async ({ id }) => expectStatus(await service.api.send('DELETE', path(`?id=${id}`)), 200)),
    );
    for (const { key } of sample) await untilAnswered(service.api, key, (status) => status === 401);
    expectErrors(await service.api.send('DELETE', path(`?id=${made[0]?.id}`)), 404);
  });

  test('a page is as long as was asked, and what is no page is said', async () => {
    await createKey(service.api, { access: 'read' });
    await createKey(service.api, { access: 'read' });
    const page = await pageOf('?limit=1');
    assert.equal(page.keys.length, 1);
    assert.equal(page.paging?.size, 1);
    for (const query of [
      '?limit=0',
      '?limit=x',
      '?last=x',
      '?last=.',
      `?last=${encodeURIComponent('1.é')}`,
    ]) {
      expectErrors(await service.api.send('GET', path(query)), 400);
    }
  });

  test('links of a limited key work, and end with it', async () => {
    const { id, key } = await createKey(service.api, { access: 'full' });
    const root = `/v1/${service.target.project}/${freshName('drive')}`;
    const reply = await service.api.send('POST', `${root}/links`, {
      json: { name: 'a.txt', method: 'POST', expires_in: 60, max_bytes: 100 },
      key,
    });
    expectStatus(reply, 201);
    const [link] = reply.json<{ links: { url: string }[] }>().links;
    const target = new URL(link?.url ?? '').pathname;
    expectStatus(await service.api.send('POST', target, { body: 'a', key: null }), 201);
    expectStatus(await service.api.send('DELETE', path(`?id=${id}`)), 200);
    await untilAnswered(service.api, key, (status) => status === 401);
    expectErrors(await service.api.send('POST', target, { body: 'b', key: null }), 403);
  });
});
