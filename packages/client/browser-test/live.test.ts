import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Basedrive } from '../src/index.js';
import { freshName, key, launch } from '../test/support/service.js';
import { switchingProxy } from '../test/support/switching-proxy.js';
import { type Browser, openBrowser } from './open-browser.js';
import { serveSite } from './page.js';

type Library = typeof import('../src/index.js');

let site: Awaited<ReturnType<typeof serveSite>>;
let browser: Browser;
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'basedrive-live-page-'));
  site = await serveSite();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

test('a page shows what another writes, and loses nothing when the server is killed', async (t) => {
  const proxy = await switchingProxy();
  t.after(() => proxy.close());
  const start = async () => {
    const server = await launch(['--data', folder]);
    proxy.target = server.url;
    return server;
  };
  let server = await start();
  t.after(() => server.stop());
  const name = freshName();
  const given = { url: proxy.url, key, name };
  const [reader, writer] = [await browser.context.newPage(), await browser.context.newPage()];
  for (const page of [reader, writer]) await page.goto(site.url);
  await reader.evaluate(async ({ url, key, name }) => {
    const script = '/bundle.js';
    const { Basedrive } = (await import(script)) as Library;
    const list = document.body.appendChild(document.createElement('ul'));
    const live = Basedrive(key, { url })
      .Base<{ text: string }>(name)
      .live(
        { 'text?ne': 'hidden' },
        (items) => {
          list.replaceChildren(
            ...items.map(({ text }) => Object.assign(document.createElement('li'), { textContent: text })),
          );
          list.dataset.calls = String(Number(list.dataset.calls ?? 0) + 1);
        },
        { order: ['text'] },
      );
    live.ended.catch((error: Error) => document.body.append(`ended: ${error.message}`));
  }, given);
  await reader.waitForSelector('ul[data-calls="1"]', { state: 'attached' });
  const write = (text: string, itemKey: string) =>
    writer.evaluate(
      async ({ url, key, name, text, itemKey }) => {
        const script = '/bundle.js';
        const { Basedrive } = (await import(script)) as Library;
        const retry = { patienceMs: 60_000, maxDelayMs: 200 };
        await Basedrive(key, { url, retry }).Base<{ text: string }>(name).put({ text }, itemKey);
      },
      { ...given, text, itemKey },
    );
  const shows = (texts: string[]) =>
    reader.waitForFunction(
      (wanted) => Array.from(document.querySelectorAll('li'), (li) => li.textContent).join() === wanted,
      texts.join(),
    );

  await write('b', 'one');
  await shows(['b']);
  for (let kill = 0; kill < 3; kill++) {
    await server.kill();
    server = await start();
    // This may be stored before the page is connected again.
    await Basedrive(key, { url: server.url })
      .Base(name)
      .put({ text: `a${kill}` }, 'two');
    await write(`c${kill}`, 'three');
    await shows([`a${kill}`, 'b', `c${kill}`]);
  }
  await write('hidden', 'one');
  await shows(['a2', 'c2']);
  assert.ok(!(await reader.textContent('body'))?.includes('ended'));
});
