import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as rest } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { Drive } from '../src/index.js';
import { freshName, key, useService } from '../test/support/service.js';
import { type Browser, openBrowser } from './open-browser.js';

const elsewhere = 'https://elsewhere.example/';
/** Asks for a path that nobody else asks for, with what the console keeps in the storage of its tab. */
const theft = `let key='none';try{key=sessionStorage.getItem('key')}catch{};fetch('ORIGIN/stolen?'+key,{headers:{'X-API-Key':key}})`;

/** Links of a page that is public, each with its `id`. Those that steal try to become a page of the console's origin. */
const links: Readonly<Record<string, string>> = {
  save: '<a id="save" download href="data.csv">Save</a>',
  elsewhere: `<a id="elsewhere" target="_blank" href="${elsewhere}">Open</a>`,
  script: `<a id="script" target="_blank" rel="opener" href="javascript:${theft}">Open</a>`,
  here: `<a id="here" href="javascript:${theft}">Run</a>`,
  page: '<a id="page" target="_blank" rel="opener" href="thief.html">Open</a>',
  data: `<a id="data" target="_blank" rel="opener" href="data:text/html,<script>${theft}</script>">Open</a>`,
  form: '<form action="/stolen" target="_blank"><button id="form">Send</button></form>',
};
/** Whether a click opens a tab. */
const thieves = { script: false, here: false, page: true, data: false, form: false };

describe('a public page', () => {
  const service = useService();
  const driveName = freshName();
  const openDrive = () => Drive(driveName, { key, url: service.url });
  let browser: Browser;
  /** The requests of all tabs that only a thief makes. */
  const stolen: string[] = [];

  before(async () => {
    browser = await openBrowser();
    const html = (body: string) => body.replaceAll('ORIGIN', service.url);
    const drive = openDrive();
    const options = { contentType: 'text/html' };
    await drive.put('site/index.html', html(Object.values(links).join('\n')), options);
    await drive.put('site/thief.html', html(`<h1>thief</h1><script>${theft}</script>`), options);
    await drive.put('site/data.csv', 'a,b', { contentType: 'text/csv' });
    await drive.publish(['site/']);
    const { context } = browser;
    context.on('request', (request) => {
      if (request.url().includes('/stolen')) stolen.push(request.url());
    });
    await context.route(/\/stolen/, (route) => route.fulfill({ body: '' }));
    await context.route(elsewhere, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<script>document.title="runs"</script>' }),
    );
  });
  after(() => browser?.close());

  /** Opens the page in a tab that the console has used. With `policy`, the page has that one in place of its own. */
  async function open(policy?: string): Promise<Page> {
    stolen.length = 0;
    const page = await browser.context.newPage();
    await page.goto(`${service.url}/health`);
    await page.evaluate(() => {
      sessionStorage.setItem('key', 's3cret');
      self.name = 'console';
    });
    if (policy !== undefined) {
      await browser.context.route(/site\/(index|thief)\.html/, async (route) => {
        const response = await route.fetch();
        const headers = { ...response.headers(), 'content-security-policy': policy };
        await route.fulfill({ response, headers });
      });
    }
    await page.goto(await openDrive().publicUrl('site/index.html'));
    return page;
  }

  async function closeAll(): Promise<void> {
    await browser.context.unroute(/site\/(index|thief)\.html/);
    for (const page of browser.context.pages().slice(1)) await page.close();
  }

  /** Clicks, and waits until the tab that opens, or else this one, has made the requests that it makes. */
  async function click(page: Page, { id, opens }: { id: string; opens: boolean }): Promise<void> {
    const opened = opens ? browser.context.waitForEvent('page', { timeout: 5000 }) : Promise.resolve(page);
    await page.click(`#${id}`, { noWaitAfter: true });
    const tab = await opened;
    await tab.waitForLoadState();
    // Requests are reported in their order: when this one is, those of the scripts of the page were.
    const last = browser.context.waitForEvent('request', (request) => request.url().endsWith('/last'));
    // A script in the target of a link runs as a task of its own, after the click. Timers do not run in such a page.
    for (let turn = 0; turn < 3; turn++) await tab.evaluate(() => 0);
    await tab.evaluate((url) => void fetch(url).catch(() => {}), `${service.url}/last`);
    await last;
  }

  test('offers a download by a link', async () => {
    const page = await open();
    const download = page.waitForEvent('download', { timeout: 5000 });
    await page.click('#save');
    assert.equal((await download).suggestedFilename(), 'data.csv');
    await (await download).delete();
    await closeAll();
  });

  test('opens another site in a tab, where its scripts run as ever', async () => {
    const page = await open();
    const [tab] = await Promise.all([
      browser.context.waitForEvent('page', { timeout: 5000 }),
      page.click('#elsewhere'),
    ]);
    await tab.waitForLoadState();
    assert.equal(tab.url(), elsewhere);
    assert.equal(await tab.title(), 'runs');
    await closeAll();
  });

  for (const [id, opens] of Object.entries(thieves)) {
    test(`neither reads the console's storage nor sends a request of its origin: ${id}`, async () => {
      const page = await open();
      await click(page, { id, opens });
      assert.deepEqual(stolen, []);
      for (const tab of browser.context.pages().slice(1)) {
        const shown = { url: tab.url(), origin: await tab.evaluate(() => self.origin) };
        assert.equal(shown.origin, 'null', JSON.stringify(shown));
      }
      await closeAll();
    });
  }

  test('would do all of it with a policy that allows more', async () => {
    const more = 'sandbox allow-downloads allow-popups allow-scripts allow-same-origin allow-forms';
    for (const [id, opens, request] of [
      ['here', false, '/stolen?s3cret'],
      ['page', true, '/stolen?s3cret'],
      ['form', true, '/stolen?'],
    ] as const) {
      const page = await open(more);
      await click(page, { id, opens });
      // A script in the target of a link may run late on a busy machine.
      const isStolen = () => stolen.some((url) => url.endsWith(request));
      for (let looks = 0; looks < 400 && !isStolen(); looks++) await rest(25);
      assert.ok(isStolen(), `${id}: ${stolen}`);
      await closeAll();
    }
  });
});
