import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { people, store } from './support/items.js';

// Where somebody was in a list, after going elsewhere and coming back.

const console = useConsole({ prepare: (service) => store(service, 'run', people(6000)) });

const queryFor = (json: string) => `query=${encodeURIComponent(json)}`;

/** Waits until the first row in view is one, by its number. */
async function firstRowIs(page: Page, row: number): Promise<void> {
  await page.waitForFunction((wanted) => {
    const top = document.querySelector('.grid-head')?.getBoundingClientRect().bottom ?? 0;
    const isInView = (one: Element) => one.getBoundingClientRect().bottom > top + 2;
    const first = [...document.querySelectorAll<HTMLElement>('.grid-body .grid-row')]
      .filter((one) => isInView(one) && one.querySelector('.skeleton') === null)
      .sort((one, other) => Number(one.dataset.row) - Number(other.dataset.row))[0];
    return first?.dataset.row === String(wanted);
  }, row);
}

const scrollTo = (page: Page, row: number) =>
  page.locator('.grid').evaluate((grid, top) => grid.scrollTo({ top }), row * 32);
const isNoted = (page: Page, row: number) => page.waitForURL(new RegExp(`[?&]at=${row}(&|$)`));
const activeRow = (page: Page) =>
  page.locator('.cell.active').evaluate((cell) => (cell.closest('.grid-row') as HTMLElement).dataset.row);

test('a reload, Back and a link keep the place in the list, the active cell and what is selected', async () => {
  const page = await console.open('#/bases/run');
  await page.getByText('6,000 items').waitFor();
  await scrollTo(page, 4000);
  await firstRowIs(page, 4000);
  await page.locator('[data-row="4003"] .cell[aria-colindex="3"]').click();
  await page.getByRole('checkbox', { name: 'Select user-004005' }).click();
  await isNoted(page, 4000);
  await page.waitForFunction(() => JSON.stringify(history.state).includes('user-004005'));

  await page.reload();
  await firstRowIs(page, 4000);
  await becomes(() => activeRow(page), '4003');
  await page.getByText('1 selected').waitFor();
  await becomes(() => page.getByRole('checkbox', { name: 'Select user-004005' }).isChecked(), true);

  await page.getByRole('link', { name: 'Overview' }).first().click();
  await page.getByRole('heading', { name: 'Connect' }).waitFor();
  await page.goBack();
  await firstRowIs(page, 4000);
  await page.getByText('1 selected').waitFor();

  const other = await console.open(new URL(page.url()).hash);
  await firstRowIs(other, 4000);
  await becomes(() => other.getByText('1 selected').count(), 0);
});

test('Back from another query leads to the place of the one before, and a new query begins at its start', async () => {
  const page = await console.open('#/bases/run');
  await page.getByText('6,000 items').waitFor();
  await scrollTo(page, 3000);
  await firstRowIs(page, 3000);
  await isNoted(page, 3000);
  await page.getByRole('combobox', { name: 'Add a condition' }).fill('age >= 30');
  await page.keyboard.press('Enter');
  await page.getByText('5,000 matches').waitFor();
  await firstRowIs(page, 0);
  assert.doesNotMatch(page.url(), /at=/);
  await page.goBack();
  await page.getByText('6,000 items').waitFor();
  await firstRowIs(page, 3000);
});

/** From `holdNotes` on, what the page would note of a place by and by it notes when it has been told of Back. */
const withLateNotes = (page: Page) =>
  page.addInitScript(() => {
    const restMs = 150;
    const held = new Map<number, () => void>();
    const { setTimeout: begin, clearTimeout: end } = window;
    let isHolding = false;
    Object.assign(window, {
      holdNotes(until: string) {
        isHolding = true;
        addEventListener(until, () => {
          for (const run of held.values()) run();
          held.clear();
        });
      },
      setTimeout(run: () => void, ms?: number) {
        if (!isHolding || ms !== restMs) return begin(run, ms);
        const id = begin(() => {}, 0);
        held.set(id, run);
        return id;
      },
      clearTimeout(id?: number) {
        if (id === undefined || !held.delete(id)) end(id);
      },
    });
  });

// A browser tells of Back twice: the address is another one at the first time, and the page hears of the second.
for (const event of ['popstate', 'hashchange'])
  test(`what is noted of a list while Back is on its way leaves the step before as it is: ${event}`, async () => {
    const page = await console.open('#/bases/run', { before: withLateNotes });
    await page.getByText('6,000 items').waitFor();
    await scrollTo(page, 3000);
    await isNoted(page, 3000);
    await page.evaluate(
      (until) => (window as unknown as { holdNotes(until: string): void }).holdNotes(until),
      event,
    );
    await page.getByRole('combobox', { name: 'Add a condition' }).fill('age >= 30');
    await page.keyboard.press('Enter');
    await page.getByText('5,000 matches').waitFor();
    await firstRowIs(page, 0);
    await page.locator('[data-row="1"] .cell[aria-colindex="3"]').click();
    await page.locator('[data-row="1"] .cell.active').waitFor();
    await page.goBack();
    await page.getByText('6,000 items').waitFor();
    await firstRowIs(page, 3000);
  });

test('in the order of an attribute what comes before the place is read again', async () => {
  const page = await console.open(`#/bases/run?order=-age&${queryFor('[{"active":true}]')}&at=2100`);
  await page.getByText('4,000 matches').waitFor();
  await firstRowIs(page, 2100);
});
