import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { Drive } from '../src/index.js';
import { freshName, key, useService } from '../test/support/service.js';
import { confusing, type HostileFile, pdfWithScript, runnable } from './hostile-files.js';
import { type Browser, openBrowser } from './open-browser.js';

/** How a file is opened without a key: its URL. */
type Way = (name: string) => Promise<string>;

describe('a file that a browser opens', () => {
  const service = useService();
  const driveName = freshName();
  let browser: Browser;

  const openDrive = () => Drive(driveName, { key, url: service.url });

  before(async () => {
    browser = await openBrowser();
    const drive = openDrive();
    for (const { name, type, body } of [...runnable, ...confusing]) {
      await drive.put(`files/${name}`, body, { contentType: type });
    }
    await drive.put('files/script.pdf', pdfWithScript());
    await drive.publish(['files/']);
  });
  after(() => browser?.close());

  const ways: Readonly<Record<string, Way>> = {
    'a public prefix': async (name) => openDrive().publicUrl(`files/${name}`),
    'a link': async (name) => (await openDrive().link(`files/${name}`, { expireIn: 600 })).url,
  };

  /** A page of the service's origin that has a key in its storage, as the console has. */
  async function consolePage(): Promise<Page> {
    const page = await browser.context.newPage();
    await page.goto(`${service.url}/health`);
    await page.evaluate(() => sessionStorage.setItem('key', 's3cret'));
    return page;
  }

  /** Opens the file in the tab of the console, and gives what its script did. */
  async function open(url: string, headersOf?: (headers: Record<string, string>) => Record<string, string>) {
    const page = await consolePage();
    try {
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.route(/\/(stolen|last)/, (route) => route.fulfill({ body: '' }));
      if (headersOf !== undefined) {
        await page.route(url, async (route) => {
          const response = await route.fetch();
          await route.fulfill({ response, headers: headersOf(response.headers()) });
        });
      }
      // Navigation to a file that is saved, not shown, ends with an error.
      await page.goto(url, { waitUntil: 'load' }).catch((cause: Error) => {
        if (!/download is starting|ERR_ABORTED/i.test(cause.message)) throw cause;
      });
      // Requests are reported in their order: when this one is, those of the scripts of the file were.
      const last = page.waitForRequest('**/last');
      await page.evaluate(() => void fetch(new URL('/last', location.href)).catch(() => {}));
      await last;
      const title = await page.title();
      const origin = await page.evaluate(() => self.origin);
      return { title, origin, stolen: asked.filter((there) => there.includes('/stolen')) };
    } finally {
      await page.close();
    }
  }

  for (const [way, urlOf] of Object.entries(ways)) {
    for (const file of runnable) {
      test(`runs no script of this origin by ${way}: ${file.name} ${file.type}`, async () => {
        const seen = await open(await urlOf(file.name));
        assert.deepEqual(seen.stolen, []);
        assert.notEqual(seen.title, 'ran');
        assert.equal(seen.origin, 'null');
      });
    }

    for (const file of confusing) {
      test(`is no page of this origin by ${way}: ${file.name} ${file.type}`, async () => {
        const seen = await open(await urlOf(file.name));
        assert.deepEqual(seen.stolen, []);
        assert.notEqual(seen.title, 'ran');
      });
    }

    test(`is shown by ${way} if it is a PDF, whose script sees no page and no storage`, async () => {
      const page = await consolePage();
      const said = new Promise<string>((resolve) => {
        page.once('dialog', (dialog) => {
          resolve(dialog.message());
          void dialog.dismiss();
        });
      });
      await page.goto(await urlOf('script.pdf'));
      assert.equal(await said, Array(5).fill('undefined').join());
      await page.close();
    });
  }

  for (const file of runnable) {
    test(`would run a script without the headers: ${file.name} ${file.type}`, async () => {
      const seen = await open(
        await urlOfPublic(file),
        ({ 'content-security-policy': _, ...others }) => others,
      );
      assert.ok(
        seen.stolen.some((url) => url.endsWith('/stolen?s3cret')),
        `${seen.stolen}`,
      );
    });
  }

  function urlOfPublic({ name }: HostileFile): Promise<string> {
    return (ways['a public prefix'] as Way)(name);
  }
});
