import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { putFiles } from './support/files.js';

// Other lists than the items of a base: `place.test.ts` has these.

const console = useConsole({
  async prepare(service) {
    const names = Array.from({ length: 900 }, (_, n) => `many/file ${String(n).padStart(4, '0')}.txt`);
    await putFiles(service, 'docs', [...names, 'many/zz/deep.txt']);
    for (let n = 0; n < 40; n++) await service.call('POST', '/keys', `{"name":"key ${n}","access":"read"}`);
  },
});

const topOf = (page: Page, part: string) =>
  page
    .locator(part)
    .first()
    .evaluate((element) => element.scrollTop);
const isScrolled = (page: Page, part: string, top: number) =>
  page.waitForFunction(
    ([selector, wanted]) => Math.abs((document.querySelector(selector)?.scrollTop ?? 0) - wanted) <= 1,
    [part, top] as const,
  );
const isNoted = (page: Page, part: string, top: number) =>
  page.waitForFunction(([name, wanted]) => history.state?.scroll?.[name] === wanted, [
    part.slice(1),
    top,
  ] as const);

async function scroll(page: Page, part: string, top: number): Promise<void> {
  await page.waitForFunction(
    ([selector, wanted]) => {
      const element = document.querySelector(selector);
      element?.scrollTo({ top: wanted });
      return element?.scrollTop === wanted;
    },
    [part, top] as const,
  );
  await isNoted(page, part, top);
}

test('a folder is where it was after another folder, another screen and a reload', async () => {
  const page = await console.open('#/drives/docs?folder=many%2F');
  await page.getByText('file 0000.txt').waitFor();
  await scroll(page, '.grid', 24_000);
  await page.evaluate(() => {
    location.hash = '#/keys';
  });
  await page.getByText('key 7').first().waitFor();
  await page.goBack();
  await isScrolled(page, '.grid', 24_000);
  await page.getByText('file 0750.txt').waitFor();
  await page.reload();
  await isScrolled(page, '.grid', 24_000);
  await page.evaluate(() => {
    location.hash = '#/drives/docs?folder=many%2Fzz%2F';
  });
  await page.getByText('deep.txt').waitFor();
  await becomes(() => topOf(page, '.grid'), 0);
  await page.goBack();
  await isScrolled(page, '.grid', 24_000);
});

test('a file that is opened and closed beside the list moves nothing', async () => {
  const page = await console.open('#/drives/docs?folder=many%2F');
  await page.getByText('file 0000.txt').waitFor();
  await scroll(page, '.grid', 3000);
  await page.getByText('file 0096.txt').first().click();
  await page.waitForURL(/file=many/);
  await page.locator('.grid').evaluate((grid) => grid.scrollTo({ top: 3320 }));
  await page.goBack();
  await page.waitForURL((url) => !url.hash.includes('file='));
  await becomes(() => topOf(page, '.grid'), 3320);
});

test('the list of keys and the panel of an item keep their place, and a new visit begins at the top', async () => {
  const page = await console.open('#/keys');
  await page.getByText('key 7').first().waitFor();
  await scroll(page, '.table-box', 500);
  await page.evaluate(() => {
    location.hash = '#/';
  });
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.goBack();
  await isScrolled(page, '.table-box', 500);
  await page.evaluate(() => {
    location.hash = '#/overview';
  });
  await page.waitForFunction(() => document.title.startsWith('Overview'));
  await page.evaluate(() => {
    location.hash = '#/keys';
  });
  await page.getByText('key 7').first().waitFor();
  await becomes(() => topOf(page, '.table-box'), 0);
});
