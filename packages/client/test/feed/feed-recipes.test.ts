import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Collection } from '@tanstack/db';
import { Basedrive } from '../../src/in-node.js';
import { recipe } from '../support/recipes.js';
import { key, ownService } from '../support/service.js';
import { releaseLongTimers } from '../support/short-timers.js';
import { switchingProxy } from '../support/switching-proxy.js';

releaseLongTimers();
/** Inside the package, so that its own name resolves to it. */
const recipes = fileURLToPath(new URL('../../recipes/', import.meta.url));

describe('the recipes of docs/feed.md', () => {
  const service = ownService('--hook-networks', '127.0.0.0/8');
  const running = new Set<ChildProcess>();
  let folder: string;
  before(async () => {
    await mkdir(recipes, { recursive: true });
    folder = await mkdtemp(join(recipes, 'run-'));
  });
  after(async () => {
    for (const child of running) child.kill('SIGKILL');
    await rm(folder, { recursive: true });
  });

  /** Runs a recipe with what it leaves to its reader, as a program. Gives its lines as they come. */
  async function run(title: string, own: string, environment: Record<string, string> = {}) {
    const file = join(folder, `${running.size}.mjs`);
    await writeFile(file, `${await recipe(title)}\n${own}`);
    const child = spawn(process.execPath, [file], {
      env: { PATH: process.env.PATH, BASEDRIVE_KEY: key, BASEDRIVE_URL: service.url, ...environment },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.add(child);
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  }

  const project = () => Basedrive(key, { url: service.url });
  const next = async (lines: AsyncIterator<string>) => (await lines.next()).value as string;

  test('a worker that is killed in the middle of a job does it again, and all others', async () => {
    const jobs = project().Base<{ state: string }>('jobs');
    const own = `async function work({ key }) {
      console.log(key);
      if (key === process.env.HANGS_AT) await new Promise(() => setInterval(() => {}, 1000));
    }`;
    await jobs.putAll(['a', 'b', 'c'].map((name) => ({ key: name, state: 'new' })));
    const first = await run('A worker that never misses a job', own, { HANGS_AT: 'b' });
    assert.deepEqual([await next(first.lines), await next(first.lines)], ['a', 'b']);
    first.child.kill('SIGKILL');
    await once(first.child, 'close');
    await jobs.put({ state: 'new' }, 'd');
    const second = await run('A worker that never misses a job', own);
    const done: string[] = [];
    while (!done.includes('d')) done.push(await next(second.lines));
    assert.deepEqual(
      done.filter((name) => name !== 'a'),
      ['b', 'c', 'd'],
    );
    while ((await jobs.fetch({ state: 'new' })).items.length > 0);
  });

  test('a search index follows, goes on from what was saved, and drops what has gone when it begins again', async () => {
    const file = join(folder, 'index.mjs');
    await writeFile(file, await recipe('A search index'));
    const [before, url] = [process.env.BASEDRIVE_URL, process.env.BASEDRIVE_KEY];
    Object.assign(process.env, { BASEDRIVE_KEY: key, BASEDRIVE_URL: service.url });
    const { keepIndex } = (await import(pathToFileURL(file).href)) as {
      keepIndex(index: object, saved: object): Promise<void>;
    };
    const articles = project().Base<{ n: number }>('articles');
    await articles.putAll([
      { key: 'a', n: 1 },
      { key: 'b', n: 2 },
    ]);
    const held = new Map<string, unknown>([['gone', {}]]);
    const waiting = new Set<() => void>();
    const look = () => {
      for (const each of waiting) each();
    };
    const ended = new Error('enough');
    let isOver = false;
    const index = {
      async put(name: string, item: unknown) {
        if (isOver) throw ended;
        held.set(name, item);
        look();
      },
      async delete(name: string) {
        held.delete(name);
        look();
      },
      keys: async () => [...held.keys()],
    };
    const until = (condition: () => boolean) =>
      new Promise<void>((resolve) => {
        waiting.add(() => condition() && resolve());
        look();
      });
    let cursor: string | undefined;
    const save = async (to: string) => {
      cursor = to;
      look();
    };
    const follow = async () => {
      isOver = false;
      await assert.rejects(keepIndex(index, { cursor, save }), ended);
    };
    const first = follow();
    await until(() => cursor !== undefined);
    assert.deepEqual([...held.keys()], ['a', 'b']);
    await articles.delete('a');
    await until(() => held.size === 1);
    isOver = true;
    await articles.put({ n: 0 }, 'stop');
    await first;
    await articles.delete('b');
    await articles.delete('stop');
    const second = follow();
    await until(() => held.size === 0);
    isOver = true;
    await articles.put({ n: 0 }, 'stop');
    await second;
    process.env.BASEDRIVE_URL = before;
    process.env.BASEDRIVE_KEY = url;
  });

  test('a collection works without a network, and stores what was done when there is one again', async () => {
    const proxy = await switchingProxy(service.url);
    const file = join(folder, 'collection.mjs');
    const given = JSON.stringify({ key, service: proxy.url });
    await writeFile(file, `globalThis.window = ${given};\n${await recipe('Offline-first with TanStack DB')}`);
    const { list } = (await import(pathToFileURL(file).href)) as {
      list: Collection<{ key: string; text: string }, string>;
    };
    const tasks = project().Base<{ text: string }>('tasks');
    await tasks.put({ text: 'paint' }, 'a');
    await list.preload();
    assert.equal(list.get('a')?.text, 'paint');

    proxy.target = undefined;
    proxy.cut();
    const written = [
      list.insert({ key: 'b', text: 'dry' }),
      list.update('a', (task) => {
        task.text = 'paint twice';
      }),
    ];
    assert.deepEqual([list.get('a')?.text, list.get('b')?.text], ['paint twice', 'dry']);
    assert.equal(await tasks.get('b'), null);
    proxy.target = service.url;
    for (const { isPersisted } of written) await isPersisted.promise;
    assert.deepEqual(
      (await tasks.fetch()).items.map(({ text }) => text),
      ['paint twice', 'dry'],
    );
    await list.delete('b').isPersisted.promise;
    assert.deepEqual([await tasks.get('b'), list.has('b')], [null, false]);
    await list.cleanup();
    proxy.close();
  });

  test('a receiver of a webhook applies what is signed, and refuses what is not', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const { webhooks, Base } = project();
    const orders = Base('orders');
    const hook = await webhooks.create({ url, bases: ['orders'] });
    const own = `async function apply({ key, type }) { console.log(type, key); }\nconsole.log('ready');`;
    const environment = { WEBHOOK_SECRET: hook.secret, PORT: String(port) };
    const { lines } = await run('A webhook receiver that verifies', own, environment);
    assert.equal(await next(lines), 'ready');
    for (;;) if ((await webhooks.test(hook.id)).delivered) break;
    await orders.put({}, 'tea');
    assert.equal(await next(lines), 'put tea');
    const forged = await fetch(url, { method: 'POST', body: '{"data":{"changes":[]}}' });
    assert.equal(forged.status, 400);
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
