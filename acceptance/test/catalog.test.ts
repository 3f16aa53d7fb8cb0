import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Api } from '../src/api.js';
import { freshBase, freshDrive, freshName, openUpload } from '../src/names.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

interface Page {
  readonly paging?: { readonly size: number; readonly last: string };
  readonly bases?: readonly string[];
  readonly drives?: readonly string[];
}

const kinds = ['bases', 'drives'] as const;
type Kind = (typeof kinds)[number];
const pastSeconds = 1;
const mib = 1024 * 1024;

describe('the catalog', { concurrency: true }, () => {
  const service = useService();
  const root = () => `/v1/${service.target.project}`;
  const list = (kind: Kind, query: Readonly<Record<string, string | number>> = {}) => {
    const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    return service.api.send('GET', `${root()}/${kind}?${pairs.join('&')}`);
  };
  const statsOf = (api: Api, name: string) =>
    api.send('GET', `/v1/${api.target.project}/${encodeURIComponent(name)}/stats`);
  const stats = (name: string) => statsOf(service.api, name);
  const inBytes = (names: readonly string[]) =>
    names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

  /** Writes to a base or to a drive of that name. */
  async function write(kind: Kind, name: string): Promise<void> {
    if (kind === 'bases') expectStatus(await freshBase(service.api, name).put({ key: 'k' }), 207);
    else expectStatus(await freshDrive(service.api, name).put('f', 'x'), 201);
  }

  for (const kind of kinds) {
    describe(`the list of ${kind}`, { concurrency: true }, () => {
      // The service may hold bases and drives of other tests.
      const prefix = `${freshName(kind)}/`;
      const endings = [
        '',
        'a',
        'a/b',
        'ab',
        'a b',
        'a!',
        'B',
        '~',
        'é',
        '名前',
        '\uffff',
        '🙂',
        '%41',
        '+',
        'items',
      ];
      const names = inBytes(endings.map((ending) => prefix + ending));

      before(async () => {
        for (const name of names) await write(kind, name);
        // Of the other kind, and of a name that is not below the prefix.
        await write(kind === 'bases' ? 'drives' : 'bases', `${prefix}other`);
        await write(kind, prefix.slice(0, -1));
      });

      async function page(query: Readonly<Record<string, string | number>>): Promise<Page> {
        const reply = await list(kind, query);
        expectStatus(reply, 200);
        assert.match(String(reply.headers['content-type']), /^application\/json\b/);
        const found = reply.json<Page>();
        if (found.paging !== undefined) {
          const { length } = found[kind] ?? [];
          assert.deepEqual(found.paging, { size: length, last: found[kind]?.at(-1) });
        }
        return found;
      }

      test('it has all names with a prefix in the order of their UTF-8 bytes, without paging', async () => {
        expectJson(await list(kind, { prefix }), 200, { [kind]: names });
        expectJson(await list(kind, { prefix, limit: names.length }), 200, { [kind]: names });
        expectJson(await list(kind, { prefix: `${prefix}a` }), 200, {
          [kind]: names.filter((name) => name.startsWith(`${prefix}a`)),
        });
        expectJson(await list(kind, { prefix: `${prefix}none` }), 200, { [kind]: [] });
      });

      test('without a prefix it has these names among others', async () => {
        const all = new Set<string>();
        let last = '';
        do {
          const found = await page({ last });
          for (const name of found[kind] ?? []) all.add(name);
          last = found.paging?.last ?? '';
        } while (last !== '');
        for (const name of names) assert.ok(all.has(name), name);
        assert.ok(!all.has(`${prefix}other`));
      });

      for (const limit of [1, 2, 4, 1000]) {
        test(`pages of ${limit} have all names together, and \`paging\` only if more follow`, async () => {
          const found: string[] = [];
          for (let last = ''; ; ) {
            const next = await page({ prefix, limit, last });
            found.push(...(next[kind] ?? []));
            if (next.paging === undefined) break;
            assert.equal(next.paging.size, limit);
            last = next.paging.last;
          }
          assert.deepEqual(found, names);
        });
      }

      test('`last` need not exist', async () => {
        expectJson(await list(kind, { prefix, last: `${prefix}aa` }), 200, {
          [kind]: names.filter((name) => Buffer.compare(Buffer.from(name), Buffer.from(`${prefix}aa`)) > 0),
        });
        expectJson(await list(kind, { prefix, last: '!' }), 200, { [kind]: names });
        expectJson(await list(kind, { prefix, last: '\u{10ffff}' }), 200, { [kind]: [] });
        expectJson(await list(kind, { prefix: 'x'.repeat(3000), last: 'y'.repeat(3000) }), 200, {
          [kind]: [],
        });
      });

      test('with details it has the size of each', async () => {
        const size = kind === 'bases' ? { items: 1, bytes: '{"key":"k"}'.length } : { files: 1, bytes: 1 };
        expectJson(await list(kind, { prefix: `${prefix}a`, details: 'true' }), 200, {
          [kind]: names.filter((name) => name.startsWith(`${prefix}a`)),
          details: names
            .filter((name) => name.startsWith(`${prefix}a`))
            .map((name) => ({ name, ...size, exact: true })),
        });
      });

      test('a wrong parameter is answered with 400 that names it', async () => {
        for (const limit of ['0', '-1', '1.5', 'none', '', '1e3', '0x10', ' 1']) {
          expectErrors(await list(kind, { limit }), 400, /^limit: /);
        }
        expectErrors(await list(kind, { prefix: 'a\u0000' }), 400, /^prefix: /);
        expectErrors(await list(kind, { last: 'a\n' }), 400, /^last: /);
        expectErrors(await service.api.send('GET', `${root()}/${kind}?prefix=%ff`), 400, /^prefix: /);
        expectErrors(await service.api.send('GET', `${root()}/${kind}?last=%C3%28`), 400, /^last: /);
        expectStatus(await list(kind, { limit: 5000, prefix }), 200);
      });

      test('it is of the project of the key, and of no other', async () => {
        const { api, target } = service;
        const unauthorized = { errors: ['Unauthorized'], codes: [{ code: 'unauthorized' }] };
        for (const key of [null, target.otherKey, `${target.project}_wrong`]) {
          expectJson(await api.send('GET', `${root()}/${kind}`, { key }), 401, unauthorized);
        }
        const other = target.otherKey.slice(0, target.otherKey.indexOf('_'));
        const reply = await api.send('GET', `/v1/${other}/${kind}?prefix=${encodeURIComponent(prefix)}`, {
          key: target.otherKey,
        });
        expectJson(reply, 200, { [kind]: [] });
      });

      test('other methods are answered with 405, and HEAD like GET without a body', async () => {
        for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
          const reply = await service.api.send(method, `${root()}/${kind}`);
          expectErrors(reply, 405);
          assert.equal(reply.headers.allow, 'GET, HEAD, OPTIONS');
        }
        const head = await service.api.send('HEAD', `${root()}/${kind}?prefix=${encodeURIComponent(prefix)}`);
        expectStatus(head, 200);
        assert.equal(head.body.length, 0);
      });
    });
  }

  test('a base is listed while it has an item that has not expired', async () => {
    const name = freshName('listed');
    const base = freshBase(service.api, name);
    const expectListed = async (isListed: boolean) =>
      expectJson(await list('bases', { prefix: name }), 200, { bases: isListed ? [name] : [] });
    await expectListed(false);
    expectStatus(await base.put({ key: 'gone', __expires: pastSeconds }), 207);
    await expectListed(false);
    expectStatus(await base.put({ key: 'z' }), 207);
    await expectListed(true);
    expectStatus(await base.remove('z'), 200);
    await expectListed(false);
  });

  test('a drive is listed while it has a file: not for open uploads, nor for what was deleted', async () => {
    const name = freshName('listed');
    const drive = freshDrive(service.api, name);
    const expectListed = async (isListed: boolean) =>
      expectJson(await list('drives', { prefix: name }), 200, { drives: isListed ? [name] : [] });
    const uploadId = await openUpload(drive, 'f');
    expectStatus(await drive.part(uploadId, 'f', 1, Buffer.alloc(mib)), 200);
    await expectListed(false);
    expectStatus(await drive.end(uploadId, 'f'), 200);
    await expectListed(true);
    expectStatus(await drive.remove(['f']), 200);
    await expectListed(false);
  });

  describe('statistics', { concurrency: true }, () => {
    test('a name that was never written has zeros', async () => {
      expectJson(await stats(freshName('never')), 200, {
        base: { items: 0, bytes: 0, exact: true },
        drive: { files: 0, bytes: 0, exact: true },
      });
    });

    test('items count with the bytes of their JSON, files with those of their contents', async () => {
      const name = freshName('stats');
      const base = freshBase(service.api, name);
      const items = [
        { key: 'a', text: 'é🙂' },
        { key: 'b', n: 1, list: [1, 2, { c: null }] },
      ];
      expectStatus(await base.put(...items, { key: 'gone', __expires: pastSeconds }), 207);
      const bytes = items.reduce((sum, item) => sum + Buffer.byteLength(JSON.stringify(item)), 0);
      const drive = freshDrive(service.api, name);
      expectStatus(await drive.put('small', 'é'), 201);
      expectStatus(await drive.put('empty', ''), 201);
      expectStatus(await drive.put('dir/large', Buffer.alloc(2 * mib)), 201);
      const uploadId = await openUpload(drive, 'in-parts');
      expectStatus(await drive.part(uploadId, 'in-parts', 1, Buffer.alloc(5 * mib)), 200);
      expectStatus(await drive.part(uploadId, 'in-parts', 2, Buffer.from('end')), 200);
      expectJson(await stats(name), 200, {
        base: { items: 2, bytes, exact: true },
        drive: { files: 3, bytes: 2 + 2 * mib, exact: true },
      });
      expectStatus(await drive.end(uploadId, 'in-parts'), 200);
      expectStatus(await drive.put('dir/large', 'now small'), 201);
      expectStatus(await base.remove('a'), 200);
      const left = Buffer.byteLength(JSON.stringify(items[1]));
      expectJson(await stats(name), 200, {
        base: { items: 1, bytes: left, exact: true },
        drive: { files: 4, bytes: 2 + 9 + 5 * mib + 3, exact: true },
      });
      await service.api.send('DELETE', `${drive.root}/files?all=true`);
      await service.api.send('DELETE', `${base.root}/items?all=true`);
      expectJson(await stats(name), 200, {
        base: { items: 0, bytes: 0, exact: true },
        drive: { files: 0, bytes: 0, exact: true },
      });
    });

    test('some thousand items are counted exactly, also beside others', async () => {
      const name = freshName('many');
      for (const one of [name, `${name}0`, `${name}/`]) {
        const base = freshBase(service.api, one);
        for (let at = 0; at < 1500; at += 25) {
          const items = Array.from({ length: 25 }, (_, n) => ({ key: `k${1000 + at + n}` }));
          expectStatus(await base.put(...items), 207);
        }
      }
      expectJson(await stats(name), 200, {
        base: { items: 1500, bytes: 1500 * '{"key":"k1000"}'.length, exact: true },
        drive: { files: 0, bytes: 0, exact: true },
      });
    });

    test('it needs the key of the project and a good name', async () => {
      const { api } = service;
      expectJson(await api.send('GET', `${root()}/b/stats`, { key: null }), 401, {
        errors: ['Unauthorized'],
        codes: [{ code: 'unauthorized' }],
      });
      expectErrors(await stats('n'.repeat(256)), 400, /^name: /);
      expectErrors(await stats('a\u0000'), 400, /^name: /);
      const refused = await api.send('POST', `${root()}/b/stats`);
      expectErrors(refused, 405);
      assert.equal(refused.headers.allow, 'GET, HEAD, OPTIONS');
    });
  });

  describe('a base and a drive may have any word of the paths as their name', { concurrency: true }, () => {
    /** Tests of another file use some of these names in the usual project, maybe at the same time. */
    const otherProject = (): Api => {
      const { api, target } = service;
      const { otherKey: key } = target;
      const project = key.slice(0, key.indexOf('_'));
      return {
        ...api,
        target: { ...target, key, project },
        send: (method, path, options) => api.send(method, path, { key, ...options }),
      };
    };
    const words = [
      'bases',
      'drives',
      'stats',
      'items',
      'query',
      'files',
      'download',
      'uploads',
      'parts',
      'keys',
      'public',
      'links',
      'indexes',
      'transactions',
      'count',
      'delete',
      'update',
      'move',
      'copy',
      'health',
      'ready',
      'v1',
      'all',
    ];
    for (const word of words) {
      test(`all operations work on the base and the drive ${word}`, async () => {
        const api = otherProject();
        // Other runs may have left something in them.
        const base = freshBase(api, word);
        const drive = freshDrive(api, word);
        await api.send('DELETE', `${base.root}/items?all=true`);
        await api.send('DELETE', `${drive.root}/files?all=true`);

        const item = { key: word, n: 1 };
        expectJson(await base.put(item), 207, { processed: { items: [item] } });
        expectStatus(await base.insert({ key: 'all', n: 2 }), word === 'all' ? 409 : 201);
        expectJson(await base.update(word, { increment: { n: 1 } }), 200, { key: word, increment: { n: 1 } });
        expectJson(await base.get(word), 200, { key: word, n: 2 });
        const operations = [{ delete: { key: 'absent' } }];
        expectStatus(await api.send('POST', `${base.root}/transactions`, { json: { operations } }), 200);
        const index = `${base.root}/indexes/${word}`;
        expectStatus(await api.send('PUT', index, { json: { fields: ['n'] } }), 202);
        expectJson(await api.send('DELETE', index), 200, { name: word });
        const queried = await base.query({ query: [{ key: word }] });
        expectJson(queried, 200, { paging: { size: 1 }, items: [{ key: word, n: 2 }] });

        expectStatus(await drive.put(word, 'bytes'), 201);
        assert.equal((await drive.get(word)).text, 'bytes');
        const ended = await openUpload(drive, `dir/${word}`);
        expectStatus(await drive.part(ended, `dir/${word}`, 1, Buffer.from('part')), 200);
        expectStatus(await drive.end(ended, `dir/${word}`), 200);
        expectStatus(await drive.abort(await openUpload(drive, word), word), 200);
        expectJson(await drive.list(), 200, { names: inBytes([word, `dir/${word}`]) });
        expectJson(await drive.remove([word]), 200, { deleted: [word], failed: {} });

        const sizes = (await statsOf(api, word)).json<{ base: { items: number }; drive: object }>();
        assert.equal(sizes.base.items, word === 'all' ? 1 : 2);
        assert.deepEqual(sizes.drive, { files: 1, bytes: 4, exact: true });
        for (const kind of kinds) {
          const names = (
            await api.send('GET', `/v1/${api.target.project}/${kind}?prefix=${word}`)
          ).json<Page>()[kind];
          assert.ok(names?.includes(word), `${word} is not in ${names}`);
        }

        expectJson(await base.remove('all'), 200, { key: 'all' });
        const expected = { deleted: word === 'all' ? 0 : 1 };
        expectJson(await api.send('DELETE', `${base.root}/items?all=true`), 200, expected);
        expectJson(await api.send('DELETE', `${drive.root}/files?all=true`), 200, { deleted: 1 });
        expectJson(await base.query({}), 200, { paging: { size: 0 }, items: [] });
      });
    }
  });
});
