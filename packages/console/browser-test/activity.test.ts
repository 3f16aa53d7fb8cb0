import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible } from './support/axe.js';
import { becomes } from './support/becomes.js';
import { type ConsoleUnderTest, useConsole } from './support/console.js';
import { store } from './support/items.js';
import { scrolledSideways } from './support/screens.js';

const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const query = JSON.stringify({ query: { city: 'Rome' }, order: ['-total'], limit: 1 });

/** A base of which a sorted query reads more than 10,000 items: it is slow, whatever the machine. */
async function prepare(service: ConsoleUnderTest): Promise<void> {
  const orders = Array.from(
    { length: 10_500 },
    (_, n) => `{"key":"o${n}","city":"${n % 3 ? 'Oslo' : 'Rome'}","total":${n}}`,
  );
  await store(service, 'orders', orders);
  await service.call('POST', '/orders/query', query);
  await service.call('GET', '/orders/items/missing');
  await service.call('POST', '/orders/query', '{"query":"wrong"}');
}

/** Whether a canvas has the one colour, and not the other. Runs in the page. */
function isDrawnIn(
  element: Element,
  [wanted, other]: readonly [wanted: readonly number[], other: readonly number[]],
): boolean {
  const canvas = element as HTMLCanvasElement;
  const { data } = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
  const has = (color: readonly number[]) => {
    for (let at = 0; at < data.length; at += 4)
      if (color.every((part, n) => data[at + n] === part)) return true;
    return false;
  };
  return has(wanted) && !has(other);
}

describe('the overview of a project with requests', () => {
  const console = useConsole({ prepare });

  test('draws the requests of the hour and of the day, and has them as a table', async () => {
    const page = await console.open();
    const requests = panel(page, 'Requests');
    await requests.locator('canvas').nth(1).waitFor();
    await requests
      .getByRole('img', {
        name: /^Requests by minute of the last hour: \d+ in all, [2-9] refused, 0 failed$/,
      })
      .waitFor();
    await requests
      .getByRole('img', { name: /^Times by minute of the last hour: 99 of 100 took at most / })
      .waitFor();
    await requests.getByText('As a table').click();
    const row = requests.getByRole('row').nth(1);
    await row
      .getByText(/^\d\d:\d\d/)
      .first()
      .waitFor();
    await requests.getByRole('tab', { name: 'Day' }).click();
    await requests.getByRole('img', { name: /^Requests by quarter of an hour of the last day/ }).waitFor();
    await assertAccessible(page, 'overview with charts');
  });

  test('draws the times of the first minute, to which no line leads', async () => {
    const page = await console.open('', { colorScheme: 'light' });
    const canvas = panel(page, 'Requests').locator('canvas').nth(1);
    const [accent, nothing] = [
      [0x33, 0x55, 0xd1],
      [-1, -1, -1],
    ];
    await becomes(() => canvas.evaluate(isDrawnIn, [accent, nothing] as const), true);
  });

  test('draws them in the colours of the page, also after a change of the theme', async () => {
    const page = await console.open('', { colorScheme: 'light' });
    const canvas = panel(page, 'Requests').locator('canvas').first();
    /** Waits until the bars have one colour, and no longer the other one: the themes do not share them. */
    const hasOnly = async (wanted: readonly number[], other: readonly number[]) => {
      // A change of the theme draws on another canvas, so each look takes the one that is there.
      while (!(await canvas.evaluate(isDrawnIn, [wanted, other] as const)))
        await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
    };
    const light = [0x33, 0x55, 0xd1];
    const dark = [0x8e, 0xa6, 0xff];
    await hasOnly(light, dark);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.waitForFunction(() => matchMedia('(prefers-color-scheme: dark)').matches);
    await hasOnly(dark, light);
  });

  test('shows a slow query without its operands, and makes the index that helps', async () => {
    const page = await console.open();
    const slow = panel(page, 'Slow queries');
    await slow.getByText('city, by -total', { exact: true }).waitFor();
    await slow.getByText(/10,500 items read without an index/).waitFor();
    assert.doesNotMatch((await slow.textContent()) ?? '', /Rome/);
    await slow.getByRole('link', { name: 'Make the index' }).click();
    const dialog = page.getByRole('dialog', { name: 'Indexes' });
    await becomes(() => dialog.getByLabel('Attributes, between commas').inputValue(), 'city, total');
    await dialog.getByRole('button', { name: 'Make the index' }).click();
    await dialog.getByRole('cell', { name: 'Ready' }).waitFor();
    await service(console);
    await page.goto(console.url);
    await slow.getByText(/by the index by city, total/).waitFor();
    await becomes(() => slow.getByRole('link', { name: 'Make the index' }).count(), 0);
  });

  /** Asks until the index is slow enough to be shown: it reads every entry. */
  async function service(target: ConsoleUnderTest): Promise<void> {
    const all = JSON.stringify({ query: { city: 'Rome' }, order: ['-total'], limit: 1, offset: 10_400 });
    await target.call('POST', '/orders/query', all);
  }

  test('lists the latest requests with the names of their keys, and those that were refused', async () => {
    const made = await console.call('POST', '/keys', '{"name":"shop page","access":"read"}');
    const { key } = (await made.json()) as { key: string };
    await fetch(`${console.url}v1/demo/orders/items/o1`, { method: 'DELETE', headers: { 'X-API-Key': key } });
    const page = await console.open();
    const latest = panel(page, 'Latest requests');
    const row = latest.getByRole('row', { name: /DELETE \/orders\/items\/\{key\} 403 .* shop page/ });
    await row.waitFor();
    await latest.getByRole('tab', { name: 'Errors' }).click();
    await row.waitFor();
    await becomes(() => latest.getByRole('row', { name: / 200 / }).count(), 0);
  });

  test('scrolls nothing sideways on a phone', async () => {
    const page = await console.open('', { viewport: { width: 320, height: 512 } });
    await panel(page, 'Latest requests').getByText('/orders/query').first().waitFor();
    await panel(page, 'Requests').locator('canvas').nth(1).waitFor();
    assert.deepEqual(await scrolledSideways(page), []);
    await assertAccessible(page, 'overview with charts, 320 pixels');
  });

  test('shows what was stored over time once it was measured twice', async () => {
    const point = { items: 1, files: 1, file_bytes: 2000, exact: true };
    const page = await console.open('', {
      before: (opened) =>
        opened.route('**/activity?details=true', async (route) => {
          const answer = await (await route.fetch()).json();
          const storage = [
            { ...point, at: 1_700_000_000, item_bytes: 1000 },
            { ...point, at: 1_700_003_600, item_bytes: 5000 },
          ];
          await route.fulfill({ json: { ...answer, storage } });
        }),
    });
    const storage = panel(page, 'Storage');
    await storage
      .getByRole('img', { name: 'Storage over time: from 3.0 kB to 7.0 kB in 2 measurements' })
      .waitFor();
    await storage.locator('canvas').waitFor();
  });
});

describe('the attributes of a base', () => {
  const console = useConsole({
    prepare: (service) =>
      store(service, 'people', [
        '{"key":"a","city":"Rome","n":9007199254740993}',
        '{"key":"b","city":"Rome","n":1}',
        '{"key":"c","city":"Oslo"}',
      ]),
  });

  test('are shown with their shares and values, and filter at a click', async () => {
    const page = await console.open();
    await page.getByRole('link', { name: 'Attributes of people' }).click();
    const dialog = page.getByRole('dialog', { name: 'Attributes of people' });
    await dialog.getByText('Of all 3 items.').waitFor();
    await dialog.getByText('9007199254740993').first().waitFor();
    await assertAccessible(page, 'attributes');
    await dialog.getByRole('button', { name: 'Rome 2' }).click();
    await page.getByText('2 matches').waitFor();
    await becomes(() => dialog.count(), 0);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Attributes…' }).click();
    await dialog.getByText('Of all 2 matches.').waitFor();
    await dialog.getByRole('button', { name: '9007199254740993 1' }).click();
    await page.getByText('1 match', { exact: true }).waitFor();
  });

  test('filter by those that have one', async () => {
    const page = await console.open('#/bases/people?profile=true');
    const dialog = page.getByRole('dialog', { name: 'Attributes of people' });
    await dialog.getByRole('button', { name: /67.*of the items have n/ }).click();
    await page.getByText('2 matches').waitFor();
    await page.reload();
    await page.getByText('2 matches').waitFor();
    await becomes(() => dialog.count(), 0);
  });
});
