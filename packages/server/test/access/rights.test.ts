import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { type Right, rightOf, tabledOperations } from '../../src/access/rights.js';
import { createBaseService } from '../../src/base/service.js';
import { createCatalogService } from '../../src/catalog/service.js';
import { consoleRoutes } from '../../src/console/routes.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../src/engines/memory/blob-store.js';
import type { RouteTable } from '../../src/http/call.js';
import { healthRoutes } from '../../src/http/health.js';
import { createRouter } from '../../src/http/router.js';
import { createKeyRing } from '../../src/keys/key-ring.js';
import { allRoutes } from '../../src/server/app.js';
import { type DriveFixture, openDriveFixture } from '../support/drive-fixture.js';

describe('the table of rights', () => {
  let items: ItemStore;
  let fixture: DriveFixture;
  let routes: RouteTable;

  before(async () => {
    items = await openLevelStore({ memory: true });
    fixture = await openDriveFixture();
    const keys = await createKeyRing(items, [], Date.now);
    routes = allRoutes({
      open: { ...healthRoutes(items, openMemoryBlobStore()), ...consoleRoutes('no folder') },
      bases: createBaseService(items, Date.now),
      drives: fixture.service,
      catalog: createCatalogService(items, Date.now),
      keys,
      sharing: {
        items,
        drives: fixture.service,
        keys,
        publicUrl: undefined,
        isSecure: false,
        clock: Date.now,
      },
      settings: { maxItemsPerPut: 25 },
    });
  });
  after(async () => {
    await items.close();
    await fixture.close();
  });

  const operationsOf = (table: RouteTable) =>
    Object.entries(table).flatMap(([pattern, handlers]) =>
      Object.keys(handlers).map((method) => `${method} ${pattern}`),
    );

  test('has exactly one line for every method of every route', () => {
    assert.deepEqual([...tabledOperations()].sort(), operationsOf(routes).sort());
  });

  test('a route without a line does not start', () => {
    const handler = () => ({ status: 200, headers: [], body: '' });
    assert.throws(
      () => createRouter({ ...routes, '/v1/:project/:name/items': { PATCH: handler } }),
      /no line for PATCH \/v1\/:project\/:name\/items/,
    );
    assert.throws(() => createRouter({ '/toString': { GET: handler } }), /no line/);
  });

  test('docs/http.md says the same', async () => {
    const page = await readFile(new URL('../../../../../docs/http.md', import.meta.url), 'utf8');
    const [, section = ''] = /### What each key may do\n(.*?)\n## /s.exec(page) ?? [];
    const documented = [...section.matchAll(/^\| `(.*)` \| (.*?) \| *(.*?) *\|$/gm)].map((row) =>
      row.slice(1),
    );
    const tabled = tabledOperations().flatMap((operation) => {
      const [method = '', pattern = ''] = operation.split(' ');
      const { need, place, names } = rightOf(method, pattern) as Right;
      if (need === 'no key') return [];
      const path = pattern
        .replace('/v1/:project', '')
        .replace(':name', place === 'base' || place === 'drive' ? `{${place}}` : '{name}')
        .replace(/:(\w+)/g, (_, name: string) => `{${name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)}}`)
        .replace(/\?(all|self)$/, '?$1=true');
      const wholly = names === 'whole' ? 'refused to keys with a prefix' : 'refused';
      const beyond = names === 'narrowed' ? 'narrowed' : wholly;
      if (need === 'no limit') return [[`${method} ${path}`, 'a key without limits', '']];
      return [[`${method} ${path}`, need, beyond]];
    });
    assert.deepEqual(documented, tabled);
  });

  test('only health, the OpenAPI document, the console and shared files need no key', () => {
    const open = operationsOf(routes).filter((operation) => {
      const [method = '', pattern = ''] = operation.split(' ');
      return rightOf(method, pattern)?.need === 'no key';
    });
    assert.deepEqual(open.sort(), [
      'GET /',
      'GET /assets/:file',
      'GET /health',
      'GET /links/:token/:file',
      'GET /openapi.json',
      'GET /public/:publicProject/:drive/*',
      'GET /ready',
      'POST /links/:token/:file',
    ]);
  });
});
