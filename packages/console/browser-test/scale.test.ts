import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useConsole } from './support/console.js';
import { store } from './support/items.js';

const itemCount = 40_000;
const text = 'lorem ipsum dolor sit amet '.repeat(45);
const keyOf = (n: number) => `item-${String(n).padStart(6, '0')}`;

/** Items of odd shapes, about 50 MB. */
function item(n: number): string {
  const others = [
    `"text":"${text}${n}"`,
    `"text":["${text}",${n}.50]`,
    `"attr-${n % 300}":{"text":"${text}"}`,
  ];
  return `{"key":"${keyOf(n)}","n":${n},${others[n % 3]}}`;
}

const console = useConsole({
  async prepare(service) {
    for (let at = 0; at < itemCount; at += 5000)
      await store(
        service,
        'big',
        Array.from({ length: 5000 }, (_, n) => item(at + n)),
      );
  },
});

/**
 * Counts the requests for the base from now on, but not how often it is followed. Those of the screen before it may still
 * begin.
 */
function countRequests(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (/\/v1\/\w+\/big\//.test(new URL(request.url()).pathname)) count++;
  });
  return () => count;
}

const loaded = async (page: Page) =>
  Number((await page.locator('.screen-foot .push').textContent())?.split(' ')[0]?.replaceAll(',', ''));

/** Scrolls to the end of the rows that are read, again and again for a while: more rows may come in the meantime. */
async function scrollToEnd(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const grid = document.querySelector('.grid');
    for (let n = 0; n < 20 && grid !== null; n++) {
      const read = document.querySelector('.screen-foot .push')?.textContent?.replace(/,| .*/g, '');
      grid.scrollTop = (Number(read) - 15) * 32;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  });
}

async function heapMegabytes(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const usage = await session.send('Runtime.getHeapUsage');
  const { usedSize, backingStorageSize } = usage as { usedSize: number; backingStorageSize: number };
  await session.detach();
  return (usedSize + backingStorageSize) / 1e6;
}

test('a large base opens with few requests and a small page', async () => {
  const page = await console.open('', { isSignedIn: true });
  await page.getByRole('link', { name: 'big' }).first().waitFor();
  const requests = countRequests(page);
  await page.getByRole('link', { name: 'big' }).first().click();
  await page.getByText('40,000 items').waitFor();
  await page.getByText(keyOf(0)).waitFor();
  assert.ok(requests() <= 3, `${requests()} requests`);
  assert.ok((await page.getByRole('row').count()) < 80);
});

test('typing a condition asks the service once, when it is taken', async () => {
  const page = await console.open('#/bases/big');
  await page.getByText('40,000 items').waitFor();
  await page.getByText(keyOf(0)).waitFor();
  const requests = countRequests(page);
  await page.keyboard.press('/');
  await page.keyboard.type('n >= 39990');
  assert.equal(requests(), 0);
  await page.keyboard.press('Enter');
  await page.getByText('10 matches').waitFor();
});

test('the memory of the page does not grow with what was scrolled through, which is there again on the way back', async () => {
  const page = await console.open('#/bases/big');
  await page.getByText(keyOf(0)).waitFor();
  const before = await heapMegabytes(page);
  while ((await loaded(page)) < itemCount) await scrollToEnd(page);
  // The last rows may have come after the last scroll.
  await scrollToEnd(page);
  await page.getByText(keyOf(itemCount - 1)).waitFor();
  assert.ok((await page.getByRole('row').count()) < 80);
  const grown = (await heapMegabytes(page)) - before;
  assert.ok(grown < 40, `${grown} MB more, of about 50 MB that were read`);

  const requests = countRequests(page);
  const middle = itemCount / 4;
  await page.evaluate((row) => {
    const grid = document.querySelector('.grid');
    if (grid !== null) grid.scrollTop = row * 32;
  }, middle);
  const cell = page.getByRole('row', { name: keyOf(middle + 5) });
  await cell.getByRole('gridcell', { name: String(middle + 5), exact: true }).waitFor();
  assert.ok(requests() > 0 && requests() <= 3, `${requests()} requests`);
});
