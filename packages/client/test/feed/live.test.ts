import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Basedrive, BasedriveError, type LiveQuery } from '../../src/in-node.js';
import { freshName, key, launch, useService } from '../support/service.js';
import { switchingProxy } from '../support/switching-proxy.js';

/** Takes what a live query shows. */
function watch<I>() {
  const shown: I[][] = [];
  let look = () => {};
  return {
    shown,
    show(items: I[]) {
      shown.push(items);
      look();
    },
    /** Resolves when what is shown is this. */
    until(isSo: (items: I[]) => boolean): Promise<I[]> {
      return new Promise((resolve) => {
        look = () => {
          const last = shown.at(-1);
          if (last !== undefined && isSo(last)) resolve(last);
        };
        look();
      });
    },
  };
}

const unwanted = () => assert.fail('it shows something');
const keysOf = (items: readonly { readonly key: string }[]) => items.map(({ key }) => key).join(' ');
const codeOf = (code: string) => (cause: unknown) => cause instanceof BasedriveError && cause.code === code;

async function closed(live: LiveQuery): Promise<void> {
  live.close();
  await live.ended;
}

describe('live queries of a running service', { concurrency: true }, () => {
  const service = useService();
  const project = () => Basedrive(key, { url: service.url });

  test('what matches, in order; what changes, comes, leaves the match and is deleted', async () => {
    const tasks = project().Base<{ at: number; done: boolean }>(freshName());
    const { show, shown, until } = watch<{ key: string; at: number }>();
    const live = tasks.live({ done: false }, show, { order: ['-at'], limit: 3 });
    const is = (keys: string) => until((items) => keysOf(items) === keys);
    await is('');
    await tasks.putMany([
      { key: 'a', at: 1, done: false },
      { key: 'b', at: 2, done: false },
      { key: 'c', at: 3, done: true },
      { key: 'd', at: 4, done: false },
    ]);
    await is('d b a');
    await tasks.update({ done: false }, 'c');
    await is('d c b');
    await tasks.update({ done: true }, 'd');
    await is('c b a');
    await tasks.update({ at: 0 }, 'b');
    assert.deepEqual(
      (await is('c a b')).map(({ at }) => at),
      [3, 1, 0],
    );
    await tasks.delete('a');
    await is('c b');
    const calls = shown.length;
    await tasks.put({ at: 9, done: true }, 'other');
    await closed(live);
    await tasks.put({ at: 9, done: false }, 'late');
    assert.equal(shown.length, calls, 'what does not match, and what comes after the end, is not shown');
  });

  test('more than are held: the next ones are fetched when those before them go', async () => {
    const base = project().Base<{ n: number }>(freshName());
    await base.putAll(Array.from({ length: 40 }, (_, n) => ({ key: `k${String(n).padStart(2, '0')}`, n })));
    const { show, until } = watch<{ key: string }>();
    const live = base.live(undefined, show, { limit: 2, desc: true });
    await until((items) => keysOf(items) === 'k39 k38');
    await base.deleteWhere({ 'n?gt': 20 });
    await until((items) => keysOf(items) === 'k20 k19');
    await closed(live);
  });

  const values = [false, true, -1, 0, 2.5, 2 ** 53, 'a', 'ab', '\u{1f600}', '\uff5e', [1], { x: 1 }, null];

  test('any writes in any order: it shows what a query finds', async () => {
    const orders = [[], ['n'], ['-n'], ['-n', 's.t'], ['s.t', '-n']];
    const base = project().Base(freshName());
    const lives = orders.flatMap((order) =>
      [false, true].map((desc) => {
        const { show, until } = watch<{ key: string }>();
        const limit = randomInt(1, 12);
        const live = base.live({ 'group?ne': 3 }, show, { order, desc, limit });
        return { order, desc, limit, live, until };
      }),
    );
    const history: unknown[] = [];
    for (let step = 0; step < 120; step++) {
      const name = `${['k', '\u{1f600}', '\uff5e'][randomInt(3)]}${randomInt(25)}`;
      const pick = () => values[randomInt(values.length + 1)];
      const item = { group: randomInt(4), n: pick(), s: { t: pick() } };
      history.push(randomInt(4) === 0 ? [name] : [name, item]);
      if ((history.at(-1) as unknown[]).length === 1) await base.delete(name);
      else await base.put(item, name);
    }
    for (const { live, until, ...options } of lives) {
      const { items } = await base.fetch({ 'group?ne': 3 }, options);
      const wanted = JSON.stringify(items);
      let last: unknown;
      const late = setTimeout(() => {
        console.error(JSON.stringify({ options, wanted, last, history }));
        live.close();
      }, 120_000);
      const isSame = (now: unknown) => {
        last = now;
        return JSON.stringify(now) === wanted;
      };
      await Promise.race([until(isSame), live.ended]);
      clearTimeout(late);
      assert.equal(JSON.stringify(last), wanted, JSON.stringify({ options, history }));
      await closed(live);
    }
  });

  test('the files of a drive below a prefix, in an order', async () => {
    const drive = project().Drive(freshName());
    await drive.put('in/b', '22');
    await drive.put('out/c', '');
    for (const order of ['name', '-size', 'modified', '-content_type'] as const) {
      const { show, until } = watch<{ name: string; size?: number }>();
      const live = drive.live({ prefix: 'in/', order, limit: 2 }, show);
      const is = (names: string) => until((files) => files.map(({ name }) => name).join(' ') === names);
      await is('in/b');
      await drive.put('in/a', '1');
      await is(order === 'name' || order === '-content_type' ? 'in/a in/b' : 'in/b in/a');
      await drive.move([{ from: 'in/a', to: 'out/a' }], { overwrite: true });
      await is('in/b');
      await closed(live);
    }
  });

  test('many files of one second, by the time that only the service knows to the millisecond', async () => {
    const drive = project().Drive(freshName());
    const { show, until } = watch<{ name: string }>();
    const live = drive.live({ order: 'modified', limit: 12 }, show);
    for (let n = 0; n < 12; n++) await drive.put(`f${(n * 7) % 12}`, String(n));
    const { names } = await drive.list({ order: 'modified' });
    await until((files) => files.map(({ name }) => name).join() === names.join());
    await closed(live);
  });

  test('it goes on where it was when its connections are cut', async () => {
    const proxy = await switchingProxy(service.url);
    const name = freshName();
    const base = project().Base<{ n: number }>(name);
    const { show, until } = watch<{ key: string }>();
    const live = Basedrive(key, { url: proxy.url }).Base<{ n: number }>(name).live(undefined, show);
    await until((items) => items.length === 0);
    for (let n = 0; n < 5; n++) {
      proxy.cut();
      await base.put({ n }, `k${n}`);
      await until((items) => items.length === n + 1);
    }
    await closed(live);
    proxy.close();
  });

  test('it rejects when it cannot begin, and when its key ends', async () => {
    const { keys, Base } = project();
    const nobody = Basedrive('demo_wrong', { url: service.url }).Base('b').live({}, unwanted);
    await assert.rejects(nobody.ended, codeOf('unauthorized'));
    await assert.rejects(Base('b').live({}, unwanted, { limit: 0 }).ended, codeOf('invalid'));
    await assert.rejects(Base('b').live({ 'a?wrong': 1 }, unwanted).ended, codeOf('refused'));
    const away = Basedrive(key, { url: 'http://127.0.0.1:9', retry: { times: 0 } }).Base('b');
    await assert.rejects(away.live({}, unwanted).ended, codeOf('network'));

    const made = await keys.create({ access: 'read' });
    const { show, until } = watch<{ key: string }>();
    const live = Basedrive(made.key, { url: service.url }).Base(freshName()).live({}, show);
    await until((items) => items.length === 0);
    await keys.delete(made.id);
    await assert.rejects(live.ended, codeOf('unauthorized'));
  });

  test('it ends with its signal, and rejects with what the callback throws', async () => {
    const controller = new AbortController();
    const base = project().Base(freshName());
    const { show, until } = watch();
    const live = base.live({}, show, { signal: controller.signal });
    await until(() => true);
    controller.abort();
    await live.ended;
    const failing = base.live({}, () => {
      throw new Error('the page is wrong');
    });
    await assert.rejects(failing.ended, /the page is wrong/);
  });
});

test('a server that is killed, and another store in its place: nothing is lost, and nothing flickers', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-live-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const proxy = await switchingProxy();
  t.after(() => proxy.close());
  const start = async (...options: string[]) => {
    const server = await launch(options);
    proxy.target = server.url;
    return server;
  };
  const patient = { url: proxy.url, retry: { patienceMs: 60_000, maxDelayMs: 100 } };
  const base = Basedrive(key, patient).Base<{ n: number }>('b');
  const { show, shown, until } = watch<{ key: string; n: number }>();

  let server = await start('--data', folder);
  await base.put({ n: 0 }, 'counter');
  const live = base.live({}, show);
  for (let n = 1; n <= 3; n++) {
    await until((items) => items[0]?.n === n - 1);
    await server.kill();
    server = await start('--data', folder);
    await base.put({ n }, 'counter');
  }
  await until((items) => items[0]?.n === 3);

  // The cursor means nothing to another store: it is answered with 410.
  await server.kill();
  const calls = shown.length;
  proxy.target = undefined;
  server = await launch();
  await Basedrive(key, { url: server.url }).Base<{ n: number }>('b').put({ n: 9 }, 'other');
  proxy.target = server.url;
  await until((items) => keysOf(items) === 'other');
  assert.equal(shown.length, calls + 1, 'what was shown stays until all of the new is there');
  await closed(live);
  await server.stop();
});

test('a server that keeps no changes', async () => {
  const server = await launch(['--keep-changes', '0s']);
  const live = Basedrive(key, { url: server.url }).Base('b').live({}, unwanted);
  await assert.rejects(live.ended, codeOf('not_found'));
  await server.stop();
});
