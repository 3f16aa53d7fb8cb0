import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Api, createApi } from '../../src/api.js';
import { launchStoredTarget, ownOtherKey, type Target } from '../../src/target.js';

/** How many requests a project sends at once. */
const many = 60;
const items = 2000;
const files = 200;

interface Case {
  readonly title: string;
  /** The n-th request, of a project whose requests come below `root`. */
  readonly send: (api: Api, root: string, n: number) => Promise<{ readonly status: number }>;
}

const get = (path: (n: number) => string): Case['send'] => {
  return (api, root, n) => api.send('GET', root + path(n));
};
const query = (body: object): Case['send'] => {
  return (api, root) => api.send('POST', `${root}/items/query`, { json: body });
};

// Those that delete come last.
const cases: readonly Case[] = [
  { title: 'a list of keys', send: get((n) => `/keys?limit=${1000 - n}`) },
  { title: 'a list of bases', send: get(() => '/bases') },
  { title: 'sizes of bases', send: get(() => '/bases?sizes=true') },
  { title: 'an export', send: get(() => '/items/items') },
  { title: 'a query of a page', send: query({ query: [{ 'n?gt': 1000 }], limit: 1000 }) },
  { title: 'a query in an order', send: query({ order: ['text'], limit: 100 }) },
  { title: 'a list of files', send: get(() => '/files/files?limit=1000') },
  { title: 'an empty trash', send: (api, root) => api.send('DELETE', `${root}/files/trash?all=true`) },
  {
    title: 'a deletion of all files',
    send: (api, root) => api.send('DELETE', `${root}/files/files?all=true`),
  },
  {
    title: 'a deletion of all items',
    send: (api, root, n) => api.send('DELETE', `${root}/b${n}/items?all=true`),
  },
];

describe('while a project has sent many requests at once, another one waits for few of them', () => {
  let target: Target;
  let apis: readonly [Api, Api];
  const roots = ['/v1/demo', '/v1/other'] as const;

  before(async () => {
    target = await launchStoredTarget('--key', ownOtherKey);
    apis = [createApi(target), createApi({ ...target, key: ownOtherKey, project: 'other' })];
    for (const [n, api] of apis.entries()) await fill(api, roots[n] as string);
  });
  after(async () => {
    for (const api of apis) api.close();
    await target.close();
  });

  for (const { title, send } of cases) {
    test(title, async (context) => {
      const [busy, other] = apis;
      // Opens the connections.
      await Promise.all(Array.from({ length: many }, () => busy.send('GET', `${roots[0]}/items/items/none`)));
      await other.send('GET', `${roots[1]}/items/items/none`);
      let answered = 0;
      const sent = Array.from({ length: many }, async (_, n) => {
        const { status } = await send(busy, roots[0], n);
        answered++;
        assert.ok(status === 200 || status === 404, `${status}`);
      });
      const before = answered;
      const { status } = await send(other, roots[1], 0);
      assert.equal(status, 200);
      const overtaken = answered - before;
      await Promise.all(sent);
      context.diagnostic(`${title}: ${overtaken} of ${many} were answered first`);
      assert.ok(overtaken < many / 2, `${overtaken} of ${many}`);
    });
  }
});

async function fill(api: Api, root: string): Promise<void> {
  const lines = Array.from({ length: items }, (_, n) =>
    JSON.stringify({ key: `k${n}`, n, text: `${(n * 7919) % items} `.repeat(20) }),
  );
  const type = 'application/x-ndjson';
  assert.equal((await api.send('PUT', `${root}/items/items`, { body: lines.join('\n'), type })).status, 200);
  assert.equal((await api.send('PUT', `${root}/files/settings`, { json: { trash: '1d' } })).status, 200);
  const few = lines.slice(0, 50).join('\n');
  for (let n = 0; n < many; n++) {
    assert.equal((await api.send('PUT', `${root}/b${n}/items`, { body: few, type })).status, 200);
  }
  const put = async (n: number) => {
    const { status } = await api.send('POST', `${root}/files/files?name=f${n}`, { body: 'x' });
    assert.equal(status, 201);
  };
  await Promise.all(Array.from({ length: files }, (_, n) => put(n)));
  const names = Array.from({ length: files }, (_, n) => `f${n}`);
  await api.send('DELETE', `${root}/files/files`, { json: { names } });
  await Promise.all(Array.from({ length: files }, (_, n) => put(n)));
}
