import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { cellAt } from './support/cells.js';
import { useConsole } from './support/console.js';
import { clipboard, paste, save } from './support/editing.js';
import { store, stored } from './support/items.js';

const item =
  '{"key":"a","at":1767225600,"ms":1767225600123,"iso":"2026-01-01T00:00:00.000+02:00","day":"2026-01-01","n":5}';

const console = useConsole({
  async prepare(service) {
    for (const base of ['shown', 'picked', 'fields', 'typed'])
      await store(service, base, [item, item.replace('"a"', '"b"')]);
  },
});

const newYork = { timezoneId: 'America/New_York' };

async function showAs(page: Page, choices: Readonly<Record<string, string>>): Promise<void> {
  await page.getByRole('button', { name: 'Columns' }).click();
  for (const [name, label] of Object.entries(choices))
    await page.getByLabel(`Show ${name} as`).selectOption({ label });
  await page.keyboard.press('Escape');
}

test('columns are shown as dates where somebody says so, and the base remembers it', async () => {
  const page = await console.open('#/bases/shown', newYork);
  await page.getByRole('grid').waitFor();
  await showAs(page, { at: 'Date, seconds', ms: 'Date, ms', iso: 'Date', day: 'Date' });
  const texts = () => page.locator('[data-row="0"] .cell.date').allTextContents();
  const wanted = ['Dec 31, 2025, 7:00 PM', 'Dec 31, 2025, 7:00 PM', 'Dec 31, 2025, 5:00 PM', 'Jan 1, 2026'];
  await becomes(async () => (await texts()).map((text) => text.replace(/\s/g, ' ')), wanted);
  assert.match(
    (await cellAt(page, 1, 2).getAttribute('title')) ?? '',
    /2026-01-01T00:00:00\.000Z \(1767225600\)/,
  );
  await page.reload();
  await page.locator('.cell.date').first().waitFor();
  await becomes(async () => (await texts()).length, 4);
  await becomes(() => page.getByText('1 change').count(), 0);
});

test('a date is picked in its cell, in the form in which it is stored', async () => {
  const page = await console.open('#/bases/picked', newYork);
  await page.getByRole('grid').waitFor();
  await showAs(page, { at: 'Date, seconds', ms: 'Date, ms', iso: 'Date', day: 'Date' });
  const pick = async (column: number, name: string, date: string) => {
    await cellAt(page, 1, column).dblclick();
    await page.getByLabel(`Date of ${name} of a`).fill(date);
    await page.locator('.cell-editor textarea').press('Enter');
  };
  await pick(2, 'at', '2026-07-01T12:00:00');
  await pick(3, 'ms', '2026-07-01T12:00:01');
  await pick(4, 'iso', '2026-07-01T12:00:00');
  await pick(5, 'day', '2026-07-01');
  await page.getByText('4 changes').waitFor();
  await save(page);
  await page.getByText('Saved 1 item').waitFor();
  assert.equal(
    await stored(console, 'picked', 'a'),
    '{"key":"a","at":1782921600,"ms":1782921601000,"iso":"2026-07-01T18:00:00.000+02:00","day":"2026-07-01","n":5}',
  );
});

test('a date is typed and pasted in a column of seconds, and a number stays one', async () => {
  const page = await console.open('#/bases/typed', { ...clipboard, timezoneId: 'UTC' });
  await page.getByRole('grid').waitFor();
  await showAs(page, { at: 'Date, seconds' });
  await cellAt(page, 1, 2).click();
  await paste(page, '2026-01-05 08:30\n1767225601');
  await page.getByText('2 changes').waitFor();
  await cellAt(page, 1, 2).dblclick();
  await page.locator('.cell-editor textarea').fill('2026-01-05T08:30:01Z');
  await page.keyboard.press('Enter');
  await save(page);
  await page.getByText('Saved 2 items').waitFor();
  assert.match(await stored(console, 'typed', 'a'), /"at":1767601801,/);
  assert.match(await stored(console, 'typed', 'b'), /"at":1767225601,/);
});

test('a date is picked in the panel of an item', async () => {
  const page = await console.open('#/bases/fields', { timezoneId: 'UTC' });
  await page.getByRole('grid').waitFor();
  await showAs(page, { at: 'Date, seconds' });
  await page.goto(`${console.url}#/bases/fields?item=a`);
  const picker = page.getByLabel('Date of at');
  await becomes(() => picker.inputValue(), '2026-01-01T00:00');
  await picker.fill('2026-01-01T00:01:00');
  await page.getByText('1 change').waitFor();
  await becomes(() => page.getByRole('textbox', { name: 'at', exact: true }).inputValue(), '1767225660');
});
