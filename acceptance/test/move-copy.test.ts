import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../src/api.js';
import { type Drive, freshDrive, openUpload } from '../src/names.js';
import { openStoredTarget } from '../src/target.js';
import { expectErrors, expectJson, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

type Files = readonly { readonly from: string; readonly to: string }[];

const mib = 1024 * 1024;

describe('moving and copying files', { concurrency: true }, () => {
  const service = useService(openStoredTarget);
  const send = (drive: Drive, path: string, json: unknown) =>
    service.api.send('POST', `${drive.root}/files/${path}`, { json });
  const move = (drive: Drive, files: Files, overwrite?: boolean) => send(drive, 'move', { files, overwrite });
  const copy = (drive: Drive, files: Files, overwrite?: boolean) => send(drive, 'copy', { files, overwrite });
  const namesOf = async (drive: Drive) => (await drive.list()).json<{ names: string[] }>().names;
  const textOf = async (drive: Drive, name: string) => (await drive.get(name)).text;

  /** A drive with files of every layout: in a row, in a blob, in parts. */
  async function filled(): Promise<Drive> {
    const drive = freshDrive(service.api);
    expectStatus(await drive.put('small', 'few', { type: 'text/x-small' }), 201);
    expectStatus(await drive.put('large', Buffer.alloc(300_000, 'large')), 201);
    expectStatus(await drive.put('empty', ''), 201);
    const id = await openUpload(drive, 'parts', 'text/x-parts');
    expectStatus(await drive.part(id, 'parts', 1, Buffer.alloc(5 * mib, 'one')), 200);
    expectStatus(await drive.part(id, 'parts', 2, Buffer.from('two')), 200);
    expectStatus(await drive.end(id, 'parts'), 200);
    return drive;
  }
  const layouts = ['empty', 'large', 'parts', 'small'];

  test('files of every layout move, with their type, time and ETag', async () => {
    const drive = await filled();
    const before = await Promise.all(layouts.map((name) => drive.get(name)));
    const files = layouts.map((name) => ({ from: name, to: `moved/${name}` }));
    expectJson(await move(drive, files), 200, { moved: 4 });
    assert.deepEqual(
      await namesOf(drive),
      files.map(({ to }) => to),
    );
    for (const [n, { from, to }] of files.entries()) {
      const after = await drive.get(to);
      assert.ok(after.body.equals(before[n]?.body as Buffer), to);
      for (const header of ['content-type', 'etag', 'last-modified']) {
        assert.equal(after.headers[header], before[n]?.headers[header], `${to}: ${header}`);
      }
      expectStatus(await drive.get(from), 404);
    }
  });

  test('files of every layout are copied; the copies are files of their own', async () => {
    const drive = await filled();
    const files = layouts.flatMap((name) => [
      { from: name, to: `copy/${name}` },
      { from: name, to: `more/${name}` },
    ]);
    const before = await Promise.all(files.map(({ from }) => drive.get(from)));
    expectJson(await copy(drive, files), 200, { copied: 8 });
    const etags = new Set(before.map(({ headers }) => headers.etag));
    for (const [n, { to }] of files.entries()) {
      const after = await drive.get(to);
      assert.ok(after.body.equals(before[n]?.body as Buffer), to);
      assert.equal(after.headers['content-type'], before[n]?.headers['content-type']);
      etags.add(after.headers.etag);
    }
    assert.equal(etags.size, 12);
    expectStatus(await drive.remove(layouts), 200);
    for (const [n, { to }] of files.entries()) {
      assert.ok((await drive.get(to)).body.equals(before[n]?.body as Buffer), to);
    }
  });

  test('files swap their names, and move in a chain', async () => {
    const drive = freshDrive(service.api);
    for (const name of ['a', 'b', 'c']) expectStatus(await drive.put(name, name), 201);
    const swap = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'a' },
    ];
    expectJson(await move(drive, swap), 200, { moved: 2 });
    assert.deepEqual([await textOf(drive, 'a'), await textOf(drive, 'b')], ['b', 'a']);
    const chain = [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'c' },
      { from: 'c', to: 'd' },
    ];
    expectJson(await move(drive, chain), 200, { moved: 3 });
    const texts = await Promise.all(['b', 'c', 'd'].map((name) => textOf(drive, name)));
    assert.deepEqual(
      [await namesOf(drive), texts],
      [
        ['b', 'c', 'd'],
        ['b', 'a', 'c'],
      ],
    );
  });

  for (const [title, transfer] of Object.entries({ move, copy })) {
    test(`${title}: a missing from is 404, an existing to 409, and nothing is changed`, async () => {
      const drive = await filled();
      await drive.put('there', 'there');
      const good = { from: 'large', to: 'new' };
      const missing = await transfer(drive, [good, { from: 'nothing', to: 'x' }]);
      expectErrors(missing, 404, /^files\[1\]\.from: File not found$/);
      const taken = await transfer(drive, [good, { from: 'small', to: 'there' }]);
      expectErrors(taken, 409, /^files\[1\]\.to: File already exists$/);
      assert.deepEqual(await namesOf(drive), [...layouts, 'there']);
      assert.equal(await textOf(drive, 'there'), 'there');
      expectStatus(await transfer(drive, [good, { from: 'small', to: 'there' }], true), 200);
      assert.equal(await textOf(drive, 'there'), 'few');
      assert.equal((await drive.get('new')).body.length, 300_000);
    });

    test(`${title}: a thousand files of one request`, async () => {
      const drive = freshDrive(service.api);
      const names = Array.from({ length: 1000 }, (_, n) => `n${n}`);
      // A proxy in front has a limit of connections, and each put may have its own.
      for (let at = 0; at < names.length; at += 50)
        await Promise.all(names.slice(at, at + 50).map((name) => drive.put(name, name)));
      const files = names.map((from) => ({ from, to: `to/${from}` }));
      expectStatus(await transfer(drive, files), 200);
      assert.equal(await textOf(drive, 'to/n999'), 'n999');
      assert.equal((await drive.list({ prefix: 'to/' })).json<{ names: string[] }>().names.length, 1000);
      expectErrors(
        await transfer(drive, [...files, { from: 'a', to: 'b' }]),
        400,
        /^files: must be a list of 1 to 1000/,
      );
    });

    test(`${title}: what is wrong with a body is named`, async () => {
      const drive = freshDrive(service.api);
      await drive.put('a', 'a');
      const ok = { from: 'a', to: 'b' };
      const bad: readonly (readonly [unknown, RegExp])[] = [
        [[], /^body: must be a JSON object$/],
        [{}, /^files: must be a list of 1 to 1000 objects$/],
        [{ files: [] }, /^files: /],
        [{ files: {} }, /^files: /],
        [{ files: ['a'] }, /^files\[0\]: must be an object of from and to$/],
        [{ files: [ok, { to: 'x' }] }, /^files\[1\]\.from: is required$/],
        [{ files: [{ from: 'a' }] }, /^files\[0\]\.to: is required$/],
        [{ files: [{ from: 1, to: 'x' }] }, /^files\[0\]\.from: must be a string$/],
        [{ files: [{ from: 'a', to: 'x/' }] }, /^files\[0\]\.to: must not end with "\/"$/],
        [{ files: [{ from: 'a', to: '' }] }, /^files\[0\]\.to: must not be empty or blank$/],
        [{ files: [{ from: 'a', to: 'a' }] }, /^files\[0\]\.to: must differ from "from"$/],
        [{ files: [ok, { from: 'c', to: 'b' }] }, /^files\[1\]\.to: occurs twice$/],
        [{ files: [{ ...ok, over: 1 }] }, /^files\[0\]\.over: is not a member of a file$/],
        [{ files: [ok], overwrite: 'yes' }, /^overwrite: must be true or false$/],
        [{ files: [ok], overwrit: true }, /^overwrit: is not a member of this request$/],
      ];
      for (const [json, message] of bad) expectErrors(await send(drive, title, json), 400, message);
      const path = `${drive.root}/files/${title}`;
      expectErrors(
        await service.api.send('POST', path, { body: '{', type: 'application/json' }),
        400,
        /^body: /,
      );
      expectErrors(
        await service.api.send('POST', path, { body: '{}', type: 'text/plain' }),
        415,
        /^Content-Type: /,
      );
      expectStatus(
        await service.api.send('POST', path, { body: Buffer.alloc(16 * mib + 1), type: 'application/json' }),
        413,
      );
      expectStatus(await service.api.send('GET', path), 405);
      assert.deepEqual(await namesOf(drive), ['a']);
    });
  }

  test('one file cannot move to two names', async () => {
    const drive = freshDrive(service.api);
    await drive.put('a', 'a');
    const files = ['b', 'c'].map((to) => ({ from: 'a', to }));
    expectErrors(await move(drive, files), 400, /^files\[1\]\.from: occurs twice$/);
  });

  /** Each round, all requests at once; then the drive is what some order of them makes. */
  async function race(rounds: number, body: (drive: Drive, round: number) => Promise<void>): Promise<void> {
    for (let round = 0; round < rounds; round++) await body(freshDrive(service.api), round);
  }
  const isOneOf = (reply: Reply, statuses: readonly number[]) =>
    assert.ok(statuses.includes(reply.status), `${reply.status} ${reply.text}`);
  const sizes = [3, 300_000];

  test('move against put: no file is lost, none is there twice', async () => {
    await race(12, async (drive, round) => {
      const text = (word: string) => word.padEnd(sizes[round % 2] as number);
      await drive.put('a', text('old'));
      const [moved, put] = await Promise.all([
        move(drive, [{ from: 'a', to: 'b' }]),
        drive.put(round % 4 < 2 ? 'a' : 'b', text('new'), { headers: { 'If-Match': '*' } }),
      ]);
      isOneOf(put, [201, 412]);
      if (round % 4 < 2) {
        // The put replaced the file before it moved, or found no file any more.
        expectStatus(moved, 200);
        assert.deepEqual(await namesOf(drive), ['b']);
        assert.equal((await textOf(drive, 'b')).trim(), put.status === 201 ? 'new' : 'old');
      } else {
        expectStatus(moved, 200);
        assert.deepEqual(await namesOf(drive), ['b']);
        assert.equal((await textOf(drive, 'b')).trim(), put.status === 201 ? 'new' : 'old');
      }
    });
  });

  test('move against put to the same name: neither file is lost', async () => {
    await race(12, async (drive, round) => {
      const text = (word: string) => word.padEnd(sizes[round % 2] as number);
      await drive.put('a', text('moved'));
      const [moved, put] = await Promise.all([
        move(drive, [{ from: 'a', to: 'b' }]),
        drive.put('b', text('put')),
      ]);
      expectStatus(put, 201);
      isOneOf(moved, [200, 409]);
      // The put came later and replaced the moved file, or came first and the move was refused.
      assert.equal((await textOf(drive, 'b')).trim(), 'put');
      assert.deepEqual(await namesOf(drive), moved.status === 200 ? ['b'] : ['a', 'b']);
    });
  });

  test('many moves of one file: one succeeds, and it has exactly one name', async () => {
    await race(6, async (drive, round) => {
      await drive.put('a', 'x'.repeat(sizes[round % 2] as number));
      const replies = await Promise.all(
        Array.from({ length: 8 }, (_, n) => move(drive, [{ from: 'a', to: `to${n}` }])),
      );
      const winners = replies.flatMap((reply, n) => (reply.status === 200 ? [`to${n}`] : []));
      for (const reply of replies) isOneOf(reply, [200, 404]);
      assert.equal(winners.length, 1);
      assert.deepEqual(await namesOf(drive), winners);
      assert.equal((await textOf(drive, String(winners[0]))).length, sizes[round % 2]);
    });
  });

  test('copy against delete and overwrite: a copy is whole, of the old bytes or the new', async () => {
    await race(12, async (drive, round) => {
      const size = sizes[round % 2] as number;
      await drive.put('a', 'o'.repeat(size));
      const other = round % 4 < 2 ? drive.remove(['a']) : drive.put('a', 'n'.repeat(size));
      const [copied] = await Promise.all([copy(drive, [{ from: 'a', to: 'b' }]), other]);
      isOneOf(copied, [200, 404]);
      const found = await drive.get('b');
      assert.equal(found.status, copied.status);
      if (copied.status === 200) assert.ok(['o', 'n'].some((c) => found.text === c.repeat(size)));
    });
  });

  test('many copies to one name: one succeeds', async () => {
    await race(4, async (drive, round) => {
      await Promise.all(
        Array.from({ length: 6 }, (_, n) => drive.put(`a${n}`, `${n}`.repeat(sizes[round % 2] as number))),
      );
      const replies = await Promise.all(
        Array.from({ length: 6 }, (_, n) => copy(drive, [{ from: `a${n}`, to: 'b' }])),
      );
      const winners = replies.flatMap((reply, n) => (reply.status === 200 ? [n] : []));
      for (const reply of replies) isOneOf(reply, [200, 409]);
      assert.equal(winners.length, 1);
      assert.equal(await textOf(drive, 'b'), `${winners[0]}`.repeat(sizes[round % 2] as number));
    });
  });
});
