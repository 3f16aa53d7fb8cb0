import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Api, createApi, type Reply } from '../src/api.js';
import { type Drive, freshBase, freshDrive, openUpload } from '../src/names.js';
import { dataFlags, runCommand, type ServerProcess, startServer } from '../src/server-process.js';
import { openStoredTarget } from '../src/target.js';
import { expectStatus } from './support/expect.js';
import { openRaw } from './support/raw-connection.js';
import { useService } from './support/service.js';

const mib = 1024 * 1024;
const rounds = 12;
const full = (letter: string) => Buffer.alloc(5 * mib, letter);
const statuses = (replies: readonly Reply[]) => replies.map(({ status }) => status).sort();
const times = <T>(count: number, make: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => make(n)));

/** With data on disk, where a commit takes time and other requests arrive in the meantime. */
describe('races between requests', () => {
  const service = useService(openStoredTarget);

  test('the increments of 64 writers of one counter add up exactly', async () => {
    const base = freshBase(service.api);
    const each = 5;
    await base.put({ key: 'counter', hits: 0, log: [] });
    await times(64, async (writer) => {
      for (let n = 0; n < each; n++) {
        const update = { increment: { hits: 1 }, append: { log: [`${writer}.${n}`] } };
        expectStatus(await base.update('counter', update), 200);
      }
    });
    const { hits, log } = (await base.get('counter')).json<{ hits: number; log: string[] }>();
    assert.equal(hits, 64 * each);
    assert.equal(new Set(log).size, 64 * each, 'no append is lost or doubled');
    for (let writer = 0; writer < 64; writer++) {
      const own = log.filter((entry) => entry.startsWith(`${writer}.`));
      assert.deepEqual(own, [...own].sort(), 'appends are in the order of their answers');
    }
  });

  test('of 64 inserts of one key, one is answered with 201 and stored', async () => {
    const base = freshBase(service.api);
    const replies = await times(64, (n) => base.insert({ key: 'k', by: n }));
    assert.deepEqual(statuses(replies), [201, ...Array<number>(63).fill(409)]);
    const winner = replies.findIndex(({ status }) => status === 201);
    assert.deepEqual((await base.get('k')).json(), { key: 'k', by: winner });
  });

  test('an insert that races with deletes succeeds only if there is no item, and the stored item is one that was inserted', async () => {
    const base = freshBase(service.api);
    const replies = await times(40, (n) => (n % 2 === 0 ? base.insert({ key: 'k', n }) : base.remove('k')));
    const inserted = replies.flatMap(({ status }, n) => (status === 201 ? [n] : []));
    for (const [n, { status }] of replies.entries()) {
      assert.ok(n % 2 === 0 ? status === 201 || status === 409 : status === 200, `${n}: ${status}`);
    }
    assert.ok(inserted.length > 0, 'the first insert found nothing');
    const left = await base.get('k');
    if (left.status !== 404) assert.ok(inserted.includes(left.json<{ n: number }>().n), left.text);
  });

  test('an update that races with a delete never restores the item', async () => {
    const base = freshBase(service.api);
    for (let round = 0; round < rounds; round++) {
      const key = `k${round}`;
      await base.put({ key, n: 0 });
      const [removed, updated] = await Promise.all([
        base.remove(key),
        base.update(key, { increment: { n: 1 } }),
      ]);
      expectStatus(removed, 200);
      assert.ok(updated.status === 200 || updated.status === 404);
      expectStatus(await base.get(key), 404);
    }
  });

  test('the items of one put become visible together', async () => {
    const base = freshBase(service.api);
    const keys = ['a', 'b', 'c'];
    const write = async (n: number) => base.put(...keys.map((key) => ({ key, n })));
    await write(0);
    let writing = true;
    const writers = times(4, async (writer) => {
      for (let n = 1; n <= 15; n++) await write(writer * 100 + n);
    }).finally(() => {
      writing = false;
    });
    let pages = 0;
    for (; writing; pages++) {
      const { items } = (await base.query({})).json<{ items: { n: number }[] }>();
      assert.equal(new Set(items.map(({ n }) => n)).size, 1, JSON.stringify(items));
    }
    await writers;
    assert.ok(pages > 0);
  });

  test('of many Ends, one is answered with 200 and the others with 404, and the file exists', async () => {
    const drive = freshDrive(service.api);
    const id = await openUpload(drive, 'f');
    await drive.part(id, 'f', 1, Buffer.from('x'));
    const replies = await times(64, () => drive.end(id, 'f'));
    assert.deepEqual(statuses(replies), [200, ...Array<number>(63).fill(404)]);
    assert.equal((await drive.get('f')).text, 'x');
  });

  test('of End and Abort, one is answered with 200 and the other with 404, and the file exists only if End has won', async () => {
    const drive = freshDrive(service.api);
    for (let round = 0; round < rounds; round++) {
      const name = `f${round}`;
      const id = await openUpload(drive, name);
      await drive.part(id, name, 1, Buffer.from('x'));
      const calls = [() => drive.end(id, name), () => drive.abort(id, name)];
      if (round % 2 === 1) calls.reverse();
      const replies = await Promise.all(calls.map((call) => call()));
      assert.deepEqual(statuses(replies), [200, 404]);
      const ended = replies[round % 2 === 1 ? 1 : 0] as Reply;
      expectStatus(await drive.get(name), ended.status);
    }
  });

  test('a new part that races with End is in the file if it is answered with 200; otherwise it is answered with 404', async () => {
    const drive = freshDrive(service.api);
    for (let round = 0; round < rounds; round++) {
      const name = `f${round}`;
      const id = await openUpload(drive, name);
      await drive.part(id, name, 1, full('a'));
      // A small part is stored in a row, and a large part as a blob before its row.
      const tail = Buffer.alloc(round % 2 === 0 ? 10 : 100_000, 'b');
      const [part, ended] = await Promise.all([drive.part(id, name, 2, tail), drive.end(id, name)]);
      expectStatus(ended, 200);
      assert.ok(part.status === 200 || part.status === 404, `${part.status}`);
      const expected = part.status === 200 ? Buffer.concat([full('a'), tail]) : full('a');
      assert.ok((await drive.get(name)).body.equals(expected), `part ${part.status}`);
    }
  });

  test('when a repeated part races with End, the file has either part as a whole', async () => {
    const drive = freshDrive(service.api);
    for (let round = 0; round < rounds; round++) {
      const name = `f${round}`;
      const id = await openUpload(drive, name);
      await drive.part(id, name, 1, Buffer.alloc(50_000, 'a'));
      const again = Buffer.alloc(60_000, 'b');
      const [part, ended] = await Promise.all([drive.part(id, name, 1, again), drive.end(id, name)]);
      expectStatus(ended, 200);
      const expected = part.status === 200 ? again : Buffer.alloc(50_000, 'a');
      assert.ok((await drive.get(name)).body.equals(expected), `part ${part.status}`);
    }
  });

  test('parts that race with Abort are answered with 200 or 404, and nothing is stored', async () => {
    const drive = freshDrive(service.api);
    const id = await openUpload(drive, 'f');
    const parts = times(12, (n) => drive.part(id, 'f', n + 1, Buffer.alloc(50_000)));
    expectStatus(await drive.abort(id, 'f'), 200);
    for (const { status } of await parts) assert.ok(status === 200 || status === 404);
    expectStatus(await drive.end(id, 'f'), 404);
    expectStatus(await drive.get('f'), 404);
  });

  test('while puts race with deletes of one name, a reader gets the whole file of one put, or none', async () => {
    const drive = freshDrive(service.api);
    const bodyOf = (n: number) => Buffer.alloc(n % 2 === 0 ? 300_000 : 1000, 'abcdefgh'[n]);
    const bodies = Array.from({ length: 8 }, (_, n) => bodyOf(n));
    let busy = true;
    const changes = times(8, async (n) => {
      for (let round = 0; round < 6; round++) {
        expectStatus(await drive.put('f', bodyOf(n)), 201);
        if (n % 2 === 1) expectStatus(await drive.remove(['f']), 200);
      }
    }).finally(() => {
      busy = false;
    });
    let reads = 0;
    for (; busy; reads++) {
      const { status, body } = await drive.get('f');
      assert.ok(
        status === 404 || (status === 200 && bodies.some((known) => known.equals(body))),
        `${status}`,
      );
    }
    await changes;
    assert.ok(reads > 0);
    const listed = (await drive.list()).json<{ names: string[] }>().names;
    expectStatus(await drive.get('f'), listed.includes('f') ? 200 : 404);
  });

  test('a download returns the bytes that it began with, despite an overwrite and a delete', async () => {
    const drive = freshDrive(service.api);
    await putLarge(drive, 'f', 'a');
    const downloads = await times(4, async () => {
      const connection = await openRaw(service.api.target, { paused: true });
      connection.write(
        `GET ${drive.root}/files/download?name=f HTTP/1.1\r\nHost: x\r\nX-API-Key: ${service.api.target.key}\r\n\r\n`,
      );
      await connection.answerStarted();
      return connection;
    });
    await putLarge(drive, 'f', 'b');
    expectStatus(await drive.remove(['f']), 200);
    expectStatus(await drive.put('f', 'new'), 201);
    const expected = Buffer.concat([full('a'), full('a'), full('a')]);
    for (const connection of downloads) {
      connection.resume();
      const reply = await connection.reply();
      assert.ok(reply.body.equals(expected), 'other bytes');
      connection.destroy();
    }
    assert.equal((await drive.get('f')).text, 'new');
  });

  async function putLarge(drive: Drive, name: string, letter: string): Promise<void> {
    const id = await openUpload(drive, name);
    for (const part of [1, 2, 3]) expectStatus(await drive.part(id, name, part, full(letter)), 200);
    expectStatus(await drive.end(id, name), 200);
  }

  test('while others write, the pages of a query have every lasting item exactly once', async () => {
    const base = freshBase(service.api);
    const kept = Array.from({ length: 200 }, (_, n) => `k${String(n).padStart(3, '0')}`);
    for (let at = 0; at < kept.length; at += 25) {
      await base.put(...kept.slice(at, at + 25).map((key) => ({ key })));
    }
    let paging = true;
    const writers = times(4, async (writer) => {
      for (let n = 0; paging; n = (n + 7) % kept.length) {
        const passing = `${kept[n]}-${writer}`;
        await base.put({ key: passing }, { key: kept[n] as string, n });
        await base.remove(passing);
      }
    });
    for (const sort of ['asc', 'desc']) {
      const seen: string[] = [];
      let last: string | undefined;
      do {
        const page = (await base.query({ limit: 7, sort, last })).json<{
          paging: { last?: string };
          items: { key: string }[];
        }>();
        seen.push(...page.items.map(({ key }) => key));
        last = page.paging.last;
      } while (last !== undefined);
      const stayed = seen.filter((key) => !key.includes('-'));
      assert.deepEqual(sort === 'asc' ? stayed : stayed.reverse(), kept);
      assert.equal(new Set(seen).size, seen.length, 'no item comes twice');
    }
    paging = false;
    await writers;
  });
});

/** The command is sent to the running server, so the key is revoked at once. */
describe('a race between a command and requests', () => {
  let folder: string;
  let server: ServerProcess;
  let api: Api;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'basedrive-races-'));
    server = await startServer(dataFlags(folder, 'demo_s3cret'));
    const close = async () => {};
    api = createApi({ url: server.url, key: 'demo_s3cret', project: 'demo', otherKey: '', close });
  });
  after(async () => {
    api.close();
    assert.equal(await server.stop(), 0);
    await rm(folder, { recursive: true });
  });

  test('requests after `keys revoke` are answered with 401, and earlier ones are processed or answered with 401', async () => {
    const { id, key } = JSON.parse(await command('keys', 'create', 'team', '--json')) as {
      id: string;
      key: string;
    };
    let revoked = false;
    let done = 0;
    const clients = times(16, async () => {
      for (;;) {
        const isAfter = revoked;
        const { status } = await api.send('PUT', '/v1/team/b/items', { key, json: { items: [{ n: 1 }] } });
        assert.ok(status === 207 || status === 401, `${status}`);
        if (isAfter) assert.equal(status, 401, 'sent after the command had ended');
        if (status === 401) return;
        done++;
      }
    });
    await command('keys', 'revoke', id);
    revoked = true;
    await clients;
    assert.ok(done > 0, 'no request was processed before the revocation');
    expectStatus(await api.send('GET', '/health'), 200);
  });

  function command(...words: string[]): Promise<string> {
    return runCommand([...words, '--data', folder]);
  }
});
