import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { people, store } from './support/items.js';

const keyCell = (page: Page, key: string) =>
  page.locator('.grid-body [aria-colindex="2"]', { hasText: key }).first();

const console = useConsole({
  prepare: (service) => store(service, 'users', people(600)),
});

const field = (page: Page) => page.getByLabel('Add a condition');
const isInFilter = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'Add a condition');

async function open(): Promise<Page> {
  const page = await console.open('#/bases/users');
  await page.getByText('600 items').waitFor();
  return page;
}

async function type(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await page.keyboard.press('Enter');
}

test('conditions joined by and, or are several ones; quotes keep the words in a text', async () => {
  const page = await open();
  await type(page, 'age > 30 and name contains Gra');
  await page.getByRole('button', { name: 'Remove age > 30' }).waitFor();
  await page.getByRole('button', { name: 'Remove name contains "Gra"' }).waitFor();
  await type(page, 'or age = 20');
  await page.getByRole('button', { name: 'Remove age = 20' }).waitFor();
  assert.match(decodeURIComponent(page.url()), /\{"age":20\}/);
  await page.getByRole('button', { name: 'Remove all conditions' }).first().click();
  await type(page, 'name = "this and age > 3"');
  await page.getByRole('button', { name: 'Remove name = "this and age > 3"' }).waitFor();
  await page.getByText('0 matches').waitFor();
});

test('a text that is compared with numbers is pointed out', async () => {
  const page = await open();
  await type(page, 'age > thirty');
  await page.getByText('age holds numbers in the loaded items, and "thirty" is text').waitFor();
  await page.getByRole('button', { name: 'Remove all conditions' }).first().click();
  await type(page, 'age > 30');
  await page.getByRole('button', { name: 'Remove age > 30' }).waitFor();
  await becomes(() => page.getByText('age holds numbers').count(), 0);
});

test('the focus stays in the filter when its parts are removed: letters are no shortcuts then', async () => {
  const page = await open();
  await type(page, 'age > 30');
  await page.getByRole('button', { name: 'Remove all conditions' }).first().click();
  await becomes(() => isInFilter(page), true);
  await page.keyboard.type('Kn');
  await becomes(() => field(page).inputValue(), 'Kn');
  await becomes(() => page.getByText('New item').count(), 0);
  await field(page).fill('');
  await type(page, 'age > 30');
  await page.getByRole('button', { name: 'Remove age > 30' }).click();
  await becomes(() => isInFilter(page), true);
});

test('a plain word is offered as a search in texts and in the beginnings of keys', async () => {
  const page = await open();
  await field(page).fill('Grace');
  await page.getByRole('option', { name: 'key begins Grace' }).waitFor();
  await page.getByRole('option', { name: 'name ~ Grace' }).click();
  await page.getByText('100 matches').waitFor();
});

test('a search that heeds the case offers one that does not, if nothing matches', async () => {
  const page = await open();
  await field(page).fill('name con');
  await page.getByRole('option', { name: 'contains contains, exact case' }).waitFor();
  await type(page, 'name contains gra');
  await page.getByText('No item matches').waitFor();
  await page.getByRole('button', { name: 'Search in any case' }).click();
  await page.getByText('100 matches').waitFor();
  await page.getByRole('button', { name: 'Remove name ~ "gra"' }).waitFor();
});

test('the search for keys says what it does, goes nowhere if no key begins so, and hands the text to the filter', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Find a key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Find a key' });
  await dialog.getByText('finds keys by their beginning').waitFor();
  await dialog.getByRole('textbox').fill('Grace');
  await page.keyboard.press('Enter');
  await dialog.getByText('No key begins with this.').waitFor();
  assert.ok(!page.url().includes('from='));
  await dialog.getByRole('button', { name: 'Search the values for it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('option', { name: 'name ~ Grace' }).waitFor();
  await becomes(() => field(page).inputValue(), 'Grace');
});

test('without the key from which it began, the list begins at its start', async () => {
  const page = await open();
  await page.getByRole('button', { name: 'Find a key' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('user-0003');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Show from the first key' }).waitFor();
  const grid = page.getByRole('grid');
  await keyCell(page, 'user-000300').waitFor();
  await grid.hover();
  await page.mouse.wheel(0, 3000);
  await page.waitForFunction(() => (document.querySelector('[role=grid]')?.scrollTop ?? 0) > 1000);
  await page.getByRole('button', { name: 'Show from the first key' }).click();
  await keyCell(page, 'user-000000').waitFor();
  await becomes(() => grid.evaluate((element) => element.scrollTop), 0);
  await becomes(() => isInFilter(page), true);
});
