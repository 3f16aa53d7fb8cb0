import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { cellAt } from './support/cells.js';
import { key, useConsole } from './support/console.js';
import { clipboard, paste, save } from './support/editing.js';
import { contentOf } from './support/files.js';
import { stored } from './support/items.js';

// What a new user does, with nothing but what the page shows.

const console = useConsole();

/** Enough orders that a sort of them is slow on any machine: it reads more than 10,000 (docs/http.md#activity-details). */
const count = 10_500;
const cities = ['Oslo', 'Rome', 'Lima'];
const totalOf = (n: number) => ((n * 7919) % count) + 1;
const table = [
  'id;city;total;state',
  ...Array.from({ length: count }, (_, n) => `o${n};${cities[n % 3]};${totalOf(n)}.50;opne`),
].join('\n');
const largestOfRome = Array.from({ length: count }, (_, n) => n)
  .filter((n) => cities[n % 3] === 'Rome')
  .sort((one, other) => totalOf(other) - totalOf(one))
  .slice(0, 10)
  .map((n) => `o${n}`);

const dialog = (page: Page) => page.getByRole('dialog');
const firstKeys = (page: Page) =>
  page
    .locator('.grid-body [role=row] [aria-colindex="2"]')
    .evaluateAll((cells) => cells.slice(0, 10).map((cell) => cell.textContent));

test('a new user imports a table, finds, mends, makes fast, and gets back what was deleted', async () => {
  const page = await console.open('', { ...clipboard, isSignedIn: false });
  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');

  await page.getByRole('button', { name: 'New base' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('orders');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Import a file' }).click();
  const file = { name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from(table) };
  await page.setInputFiles('input[type=file]', file);
  await becomes(() => dialog(page).getByLabel('Type of total').inputValue(), 'number');
  await dialog(page).getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByText('Stored 10,500 items. No line was refused.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('10,500 items').waitFor();

  // The ten largest orders of a city.
  await page.keyboard.press('/');
  await page.keyboard.type('city = Rome');
  await page.keyboard.press('Enter');
  await page.getByText('3,500 matches').waitFor();
  const head = page.getByRole('columnheader', { name: /^total/ });
  await head.getByRole('button').click();
  await page.locator('[role=columnheader][aria-sort=ascending]').waitFor();
  await head.getByRole('button').click();
  await page.locator('[role=columnheader][aria-sort=descending]').waitFor();
  await becomes(() => firstKeys(page), largestOfRome);

  // Three cells of a spreadsheet, on three cells.
  await cellAt(page, 1, 4).click();
  await paste(page, 'open\nopen\npaid\n');
  await page.getByText('3 changes').waitFor();
  await save(page);
  await page.getByText('Saved 3 items').waitFor();
  assert.match(
    await stored(console, 'orders', largestOfRome[2] ?? ''),
    /"total":10\d\d\d\.50,"state":"paid"\}$/,
  );

  // Why the sort is slow, and what makes it fast.
  await page.getByRole('link', { name: 'Overview' }).click();
  const slow = page.getByRole('region', { name: 'Slow queries' });
  await slow.getByText('city, by -total', { exact: true }).waitFor();
  await slow
    .getByText(/10,500 items read without an index/)
    .first()
    .waitFor();
  await slow.getByRole('link', { name: 'Make the index' }).first().click();
  await dialog(page).getByRole('button', { name: 'Make the index' }).click();
  const row = dialog(page).getByRole('row', { name: /by city, total/ });
  await row.getByText('Ready').waitFor();
  await page.keyboard.press('Escape');
  await page.goto(`${console.url}#/bases/orders?query=${encodeURIComponent('{"city":"Rome"}')}&order=-total`);
  await becomes(() => firstKeys(page), largestOfRome);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Indexes…' }).click();
  await row.getByRole('cell', { name: /^[1-9]\d*, / }).waitFor();
  await page.keyboard.press('Escape');

  // A file that was deleted.
  await page.getByRole('button', { name: 'New drive' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('letters');
  await page.keyboard.press('Enter');
  await page
    .getByLabel('Files to upload')
    .setInputFiles({ name: 'plan.txt', mimeType: 'text/plain', buffer: Buffer.from('the plan') });
  await page.getByRole('checkbox', { name: 'Select plan.txt' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog(page).getByRole('button', { name: 'Keep such files for 30 days' }).click();
  await dialog(page).getByText('can come back for 30 days').waitFor();
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 1 file').waitFor();
  await page.getByRole('button', { name: /Undo/ }).last().click();
  await page.getByText('Brought back 1 file').waitFor();
  await page.getByRole('button', { name: 'plan.txt', exact: true }).waitFor();
  assert.deepEqual(await contentOf(console, 'letters'), { 'plan.txt': 'the plan' });
});
