import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { hold } from './support/hold.js';
import { people, store } from './support/items.js';

// The first, the last and the middle rows of a list that is not read as a whole.

const itemCount = 12_000;
const partCount = 2500;
const keyOf = (n: number) => `user-${String(n).padStart(6, '0')}`;
const partKey = (n: number) => `part-${String(n).padStart(4, '0')}`;
/** Every tenth item lacks `v`, and five items have the same. */
const vOf = (n: number) => (n % 10 === 9 ? undefined : Math.floor(((n * 7919) % partCount) / 5));

const console = useConsole({
  async prepare(service) {
    for (let at = 0; at < itemCount; at += 4000) await store(service, 'users', people(4000, at));
    await store(
      service,
      'parts',
      Array.from({ length: partCount }, (_, n) => JSON.stringify({ key: partKey(n), v: vOf(n) })),
    );
  },
});

/** The keys of the rows that are drawn, by their numbers in the list, from 0. */
async function drawn(page: Page): Promise<ReadonlyMap<number, string>> {
  const rows = await page.locator('.grid-body [role=row]').evaluateAll((elements) =>
    elements.map((row) => {
      const key = row.querySelector('[aria-colindex="2"]');
      const isRead = key?.querySelector('.skeleton') === null;
      return [Number(row.ariaRowIndex) - 2, isRead ? (key?.textContent ?? '') : undefined] as const;
    }),
  );
  return new Map(rows.flatMap(([row, key]) => (key === undefined ? [] : [[row, key]])));
}

/** Turns the wheel for so many rows, and checks that each row that is seen is that of the list. Gives how many were seen. */
async function look(page: Page, rows: number, expected: (row: number) => string): Promise<number> {
  const seen = new Set<number>();
  await page.getByRole('grid').hover();
  for (let left = Math.abs(rows); left > 0; left -= 18) {
    for (const [row, key] of await drawn(page)) {
      assert.equal(key, expected(row), `row ${row}`);
      seen.add(row);
    }
    await page.mouse.wheel(0, Math.sign(rows) * 18 * 32);
    await page.waitForTimeout(30);
  }
  return seen.size;
}

const heightOf = (page: Page) => page.evaluate(() => document.querySelector('.grid')?.scrollHeight);
const row = (page: Page, key: string) => page.getByRole('row', { name: key });

test('Ctrl and End shows the last items, which are read backwards from there; Ctrl and Home returns to the first', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('12,000 items').waitFor();
  await row(page, keyOf(0)).waitFor();
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/query')) asked++;
  });
  const height = await heightOf(page);
  await page.getByRole('grid').focus();
  await page.keyboard.press('Control+End');
  await row(page, keyOf(itemCount - 1)).waitFor();
  assert.ok(asked <= 2, `${asked} requests`);
  assert.ok((await look(page, -1800, keyOf)) > 1500);
  await becomes(() => heightOf(page), height, 'the scrollbar stays as it is');
  await page.keyboard.press('Control+Home');
  await row(page, keyOf(0)).waitFor();
  assert.ok((await look(page, 700, keyOf)) > 600);
});

test('the scrollbar leads to the middle and to the end, and both grow from there', async () => {
  const page = await console.open('#/bases/users?order=-key');
  await page.getByText('12,000 items').waitFor();
  const expected = (n: number) => keyOf(itemCount - 1 - n);
  const scrollTo = (part: number) =>
    page.evaluate((to) => {
      const grid = document.querySelector('.grid');
      grid?.scrollTo(0, to * grid.scrollHeight);
    }, part);
  await scrollTo(0.5);
  await row(page, expected(itemCount / 2 + 3)).waitFor();
  assert.ok((await look(page, -700, expected)) > 600);
  assert.ok((await look(page, 1400, expected)) > 1200);
  await scrollTo(1);
  await row(page, expected(itemCount - 1)).waitFor();
  assert.ok((await look(page, -700, expected)) > 600);
});

test('in the order of an attribute, the end has the items without it, and before them the others backwards', async () => {
  const order = Array.from({ length: partCount }, (_, n) => n).sort((a, b) => {
    const [one, other] = [vOf(a) ?? Number.POSITIVE_INFINITY, vOf(b) ?? Number.POSITIVE_INFINITY];
    return one === other ? a - b : one - other;
  });
  const expected = (n: number) => partKey(order[n] ?? -1);
  const page = await console.open('#/bases/parts?order=v');
  await page.getByText('2,500 items').waitFor();
  await row(page, expected(0)).waitFor();
  await page.getByRole('button', { name: 'Last items' }).click();
  await row(page, expected(partCount - 1)).waitFor();
  assert.ok((await look(page, -partCount - 100, expected)) > partCount - 100);
  await page.getByText('2,500 loaded').waitFor();
});

test('what was selected in another part of the list is still meant', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('12,000 items').waitFor();
  await page.getByRole('checkbox', { name: `Select ${keyOf(1)}` }).click();
  await page.getByRole('button', { name: 'Last items' }).click();
  await page.getByRole('checkbox', { name: `Select ${keyOf(itemCount - 2)}` }).click();
  await page.getByText('2 selected').waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 2 items').waitFor();
  const statusOf = async (n: number) => (await console.call('GET', `/users/items/${keyOf(n)}`)).status;
  assert.deepEqual([await statusOf(1), await statusOf(2), await statusOf(itemCount - 2)], [404, 200, 404]);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Put back 2 items').waitFor();
  await row(page, keyOf(itemCount - 2)).waitFor();
});

test('a list that is read again is read where it is seen', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('12,000 items').waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Control+End');
  await row(page, keyOf(itemCount - 1)).waitFor();
  await console.call('PATCH', `/users/items/${keyOf(itemCount - 1)}`, '{"set":{"again":1}}');
  // The number of all items is known before the first page is there: the same rows stay in view.
  const counted = page.waitForResponse((response) => response.url().endsWith('/query/count'));
  const { isHeld, letGo } = await hold(page, '/query');
  await page.getByRole('button', { name: 'Reload' }).click();
  await isHeld;
  await (await counted).finished();
  letGo();
  await page.getByRole('columnheader', { name: 'again' }).waitFor();
  await row(page, keyOf(itemCount - 1)).waitFor();
});
