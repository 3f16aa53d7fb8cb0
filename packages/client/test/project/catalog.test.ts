import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Basedrive, type BaseStats, type DriveStats, type Basedrive as Project } from '../../src/in-node.js';
import { freshName, key, ownService } from '../support/service.js';

describe('the catalog of a running service', { concurrency: true }, () => {
  const service = ownService();
  const open = (): Project => Basedrive(key, { url: service.url });

  async function all(names: AsyncIterable<string>): Promise<string[]> {
    const found: string[] = [];
    for await (const name of names) found.push(name);
    return found;
  }

  test('bases and drives are listed by prefix, in order, also behind a name', async () => {
    const project = open();
    const prefix = `${freshName()} /é&`;
    for (const ending of ['c', 'a', 'b']) {
      await project.Base(prefix + ending).put({ n: 1 }, 'k');
      await project.Drive(`${prefix}drive-${ending}`).put('f', 'x');
    }
    const names = ['a', 'b', 'c'].map((ending) => prefix + ending);
    assert.deepEqual(await all(project.bases({ prefix })), names);
    assert.deepEqual(await all(project.bases({ prefix, last: names[0] })), names.slice(1));
    assert.deepEqual(await all(project.drives({ prefix: `${prefix}drive-b` })), [`${prefix}drive-b`]);
    assert.deepEqual(await all(project.bases({ prefix: `${prefix}none` })), []);
    const listed = await all(project.bases());
    for (const name of names) assert.ok(listed.includes(name));
  });

  test('every page is requested when it is needed', async () => {
    const asked: string[] = [];
    const pages = [
      { paging: { size: 2, last: 'b' }, bases: ['a', 'b'] },
      { paging: { size: 1, last: 'c d' }, bases: ['c d'] },
      { bases: ['e'] },
    ];
    const { bases } = Basedrive('p_1', {
      url: 'https://data.example',
      fetch: async (input) => {
        asked.push(String(input));
        return Response.json(pages[asked.length - 1]);
      },
    });
    const names = bases();
    assert.deepEqual(asked, []);
    assert.equal((await names.next()).value, 'a');
    assert.equal(asked.length, 1);
    assert.deepEqual(await all(names), ['b', 'c d', 'e']);
    const root = 'https://data.example/v1/p/bases?';
    assert.deepEqual(asked, [root, `${root}last=b`, `${root}last=c%20d`]);
  });

  test('stats are the numbers of items and files, and of their bytes', async () => {
    const project = open();
    const name = freshName();
    const base = project.Base<{ n: number }>(name);
    const drive = project.Drive(name);
    const empty: BaseStats = { items: 0, bytes: 0, exact: true };
    assert.deepEqual(await base.stats(), empty);
    assert.deepEqual(await drive.stats(), { files: 0, bytes: 0, exact: true } satisfies DriveStats);
    await base.putMany([
      { key: 'a', n: 1 },
      { key: 'b', n: 2 },
    ]);
    await drive.put('f', 'é');
    assert.deepEqual(await base.stats(), { items: 2, bytes: 2 * '{"key":"a","n":1}'.length, exact: true });
    assert.deepEqual(await drive.stats(), { files: 1, bytes: 2, exact: true });
  });

  test('deleteAll deletes everything, and returns the number', async () => {
    const project = open();
    const name = freshName();
    const base = project.Base<{ n: number }>(name);
    const drive = project.Drive(name);
    await base.putAll(Array.from({ length: 60 }, (_, n) => ({ n })));
    await drive.put('a', 'a');
    await drive.put('dir/b', 'b');
    assert.equal(await base.deleteAll(), 60);
    assert.equal(await base.deleteAll(), 0);
    assert.deepEqual((await base.fetch()).items, []);
    assert.equal(await drive.deleteAll({ timeoutMs: 30_000 }), 2);
    assert.deepEqual(await drive.list(), { names: [] });
    assert.deepEqual(await all(project.bases({ prefix: name })), []);
    assert.deepEqual(await all(project.drives({ prefix: name })), []);
  });

  test('a call can be aborted, and a refusal has the code of its status', async () => {
    const project = open();
    const signal = AbortSignal.abort();
    await assert.rejects(all(project.bases({ signal })), { code: 'aborted' });
    await assert.rejects(project.Base('b').deleteAll({ signal }), { code: 'aborted' });
    await assert.rejects(project.Drive('d').stats({ signal }), { code: 'aborted' });
    await assert.rejects(all(project.drives({ prefix: 'a\n' })), { code: 'refused', status: 400 });
    const stranger = Basedrive('demo_wrong', { url: service.url });
    await assert.rejects(all(stranger.bases()), { code: 'unauthorized', status: 401 });
    await assert.rejects(stranger.Base('b').deleteAll(), { code: 'unauthorized', status: 401 });
  });

  test('deleteAll has no time limit of its own, although the project has one', async () => {
    let signal: AbortSignal | null | undefined;
    const slow = Basedrive('p_1', {
      timeoutMs: 1,
      fetch: async (_, init) => {
        signal = init?.signal;
        await new Promise((resolve) => setTimeout(resolve, 50));
        return Response.json({ deleted: 7 });
      },
    });
    assert.equal(await slow.Base('b').deleteAll(), 7);
    assert.equal(await slow.Drive('d').deleteAll(), 7);
    assert.equal(signal?.aborted, false);
  });
});
