import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { Basedrive, BasedriveError, type FileChange, type ItemChange, type Live } from '../../src/in-node.js';
import { freshName, key, ownService } from '../support/service.js';

type Change = ItemChange | FileChange | Live;

describe('the feed of a running service', { concurrency: true }, () => {
  const service = ownService();

  /** Takes changes until the condition holds. */
  async function until(changes: AsyncIterable<Change>, isEnough: (all: readonly Change[]) => boolean) {
    const all: Change[] = [];
    for await (const change of changes) {
      all.push(change);
      if (isEnough(all)) break;
    }
    return all;
  }

  const withoutPlace = ({ cursor: _, tx: __, ...change }: Change & { tx?: string }) => change;

  test('a copy of a base: what is there, live, what changes, and on from a cursor', async () => {
    const users = Basedrive(key, { url: service.url }).Base<{ n: number }>(freshName());
    await users.putMany([
      { key: 'a', n: 1 },
      { key: 'b', n: 2 },
    ]);
    let wrote = false;
    const all = await until(users.changes({ since: '0' }), (found) => {
      if (found.at(-1)?.type === 'live' && !wrote) {
        wrote = true;
        void users.put({ n: 3 }, 'c').then(() => users.delete('a'));
      }
      return found.at(-1)?.type === 'delete';
    });
    assert.deepEqual(
      all.map((change) => ('key' in change ? `${change.type} ${change.key}` : change.type)),
      ['put a', 'put b', 'live', 'put c', 'delete a'],
    );
    const { cursor } = all.findLast((change) => change.type === 'put') ?? {};
    assert.ok(cursor);
    const [next] = await until(users.changes({ since: cursor }), () => true);
    assert.equal(next?.type, 'delete');
  });

  test('each write of items tells the tx under which its change comes', async () => {
    const users = Basedrive(key, { url: service.url }).Base<{ n: number }>(freshName());
    const told: string[] = [];
    const onTx = (tx: string) => void told.push(tx);
    const [begin] = await until(users.changes(), () => true);
    const since = begin?.cursor ?? '';
    await users.put({ n: 1 }, 'a', { onTx });
    await users.put({ n: 0 }, 'untold');
    await users.insert({ n: 2 }, 'b', { onTx });
    await users.putMany([{ key: 'c', n: 3 }], { onTx });
    await users.update({ n: 4 }, 'a', { onTx });
    await users.delete('b', { onTx });
    await users.transaction(({ put }) => [put({ n: 5 }, 'd')], { onTx });
    await assert.rejects(users.insert({ n: 2 }, 'a', { onTx }), { status: 409 });
    const changes = await until(users.changes({ since }), (all) => all.at(-1)?.type === 'live');
    const tx = changes.flatMap((change) =>
      change.type === 'live' || ('key' in change && change.key === 'untold') ? [] : change.tx,
    );
    assert.deepEqual(tx, told);
    assert.equal(told.length, 6);
    assert.deepEqual(told.toSorted(), told);
  });

  test('a query, a prefix, and items without their values', async () => {
    const users = Basedrive(key, { url: service.url }).Base<{ n: number }>(freshName());
    await users.putMany([
      { key: 'a1', n: 1 },
      { key: 'a2', n: 2 },
      { key: 'b2', n: 2 },
    ]);
    const options = { since: '0', prefix: 'a', query: { n: 2 }, values: false };
    const [change, live] = await until(users.changes(options), (found) => found.length === 2);
    assert.deepEqual(withoutPlace(change as Change), {
      base: (change as ItemChange).base,
      key: 'a2',
      type: 'put',
    });
    assert.equal(live?.type, 'live');
  });

  test('a drive, and several bases and drives of a project', async () => {
    const { Base, Drive, changes } = Basedrive(key, { url: service.url });
    const name = freshName();
    await Drive(name).put('f', 'hello');
    await Base(`${name}-1`).put({ n: 1 }, 'k');
    const [file] = await until(Drive(name).changes({ since: '0' }), () => true);
    assert.ok(file?.type === 'put' && 'file' in file && file.file.size === 5);
    const options = { since: '0', bases: [`${name}*`], drives: [name] };
    const both = await until(changes(options), (found) => found.length === 2);
    assert.deepEqual(
      both.map((change) => ('base' in change ? change.base : 'drive' in change ? change.drive : '')),
      [`${name}-1`, name],
    );
  });

  test('goes on where it was when its connection is cut, and ends with its signal', async () => {
    const sockets = new Set<Socket>();
    const proxy = await listening(service.url, sockets);
    const through = Basedrive(key, { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
    const baseName = freshName();
    const base = Basedrive(key, { url: service.url }).Base<{ n: number }>(baseName);
    const controller = new AbortController();
    const keys: string[] = [];
    try {
      for await (const change of through.Base(baseName).changes({ signal: controller.signal })) {
        if (change.type === 'live') {
          if (keys.length === 0) await base.put({ n: 0 }, 'k0');
          continue;
        }
        keys.push(change.key);
        if (keys.length === 5) controller.abort();
        // What is written while there is no connection is not lost.
        for (const socket of sockets) socket.destroy();
        await base.put({ n: keys.length }, `k${keys.length}`);
      }
      assert.fail('it went on');
    } catch (cause) {
      assert.ok(cause instanceof BasedriveError && cause.code === 'aborted', String(cause));
    } finally {
      proxy.close();
    }
    assert.deepEqual(keys, ['k0', 'k1', 'k2', 'k3', 'k4']);
  });

  test('a snapshot that is cut before its first cursor loses no deletion', async () => {
    const name = freshName();
    const users = Basedrive(key, { url: service.url }).Base(name);
    await users.putMany([{ key: 'a' }, { key: 'b' }]);
    let isCut = false;
    const cutOnce: typeof fetch = async (...given) => {
      const answer = await fetch(...given);
      if (isCut) return answer;
      isCut = true;
      const text = await untilLine(answer, '"type":"put"');
      await users.delete('a');
      return new Response(text, answer);
    };
    const through = Basedrive(key, { url: service.url, fetch: cutOnce }).Base(name);
    const all = await until(through.changes({ since: '0' }), (found) => found.at(-1)?.type === 'live');
    assert.deepEqual(
      all.map((change) => ('key' in change ? `${change.type} ${change.key}` : change.type)),
      ['put a', 'put b', 'delete a', 'live'],
    );
  });

  test('a page of changes goes on from its cursor', async () => {
    const { Base, changesPage } = Basedrive(key, { url: service.url });
    const name = freshName();
    const start = await changesPage({ bases: [name] });
    assert.deepEqual([start.changes, start.live], [[], true]);
    await Base(name).putAll([{ key: 'a' }, { key: 'b' }]);
    const first = await changesPage({ bases: [name], since: start.cursor, limit: 1 });
    assert.deepEqual([first.changes.length, first.live], [1, false]);
    const second = await changesPage({ bases: [name], since: first.cursor, wait: 1 });
    assert.deepEqual(
      second.changes.map((change) => 'key' in change && change.key),
      ['b'],
    );
  });

  test('a cursor of another store is refused with 410', async () => {
    const cursor = Buffer.from('["another","00000001000000000000",0]').toString('base64url');
    await assert.rejects(
      Basedrive(key, { url: service.url }).changes({ since: cursor }).next(),
      (cause) =>
        cause instanceof BasedriveError && cause.status === 410 && cause.codes[0]?.code === 'cursor_too_old',
    );
  });
});

/** What an answer begins with, to the end of the first line that has this text. */
async function untilLine({ body }: Response, wanted: string): Promise<string> {
  let text = '';
  for await (const bytes of body ?? []) {
    text += Buffer.from(bytes as Uint8Array).toString();
    const at = text.indexOf(wanted);
    const end = at === -1 ? -1 : text.indexOf('\n', at);
    if (end !== -1) return text.slice(0, end + 1);
  }
  throw new Error('the answer has no such line');
}

/** A proxy of bytes, whose connections can be cut. */
async function listening(url: string, sockets: Set<Socket>): Promise<Server> {
  const { hostname, port } = new URL(url);
  const proxy = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    sockets.add(client);
    client.on('error', () => {});
    upstream.on('error', () => {});
    client.on('close', () => {
      sockets.delete(client);
      upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return proxy;
}
