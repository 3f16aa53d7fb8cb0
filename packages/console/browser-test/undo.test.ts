import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { chooseMore, typeJson } from './support/editing.js';
import { people, store, stored } from './support/items.js';

const keyCell = (page: Page, key: string) =>
  page.locator('.grid-body [aria-colindex="2"]', { hasText: key }).first();

const console = useConsole({
  async prepare(service) {
    await store(service, 'matches', people(300));
    await store(service, 'all', people(132));
    await store(service, 'placed', people(700));
    await store(service, 'saved', people(30));
    await store(service, 'marked', people(60));
  },
});

const active = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('role'));
const firstKeys = (page: Page, count: number) =>
  page.evaluate(
    (n) =>
      [...document.querySelectorAll<HTMLElement>('.grid-body [role=row]')]
        .sort((one, other) => Number(one.ariaRowIndex) - Number(other.ariaRowIndex))
        .slice(0, n)
        .map((row) => row.querySelector('[aria-colindex="2"]')?.textContent?.trim()),
    count,
  );
const keysFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, n) => `user-${String(first + n).padStart(6, '0')}`);

test('the undo of a deletion of all matches shows them again, and their number', async () => {
  const page = await console.open(`#/bases/matches?query=${encodeURIComponent('[{"active":true}]')}`);
  await page.getByText('200 matches').waitFor();
  await chooseMore(page, 'Delete the matches');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No item matches').waitFor();
  await page.getByText('0 matches').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Put back 200 items').waitFor();
  await page.getByText('200 matches').waitFor();
  await keyCell(page, 'user-000001').waitFor();
  await page.getByText('200 loaded').waitFor();
});

test('the undo of a deletion of everything shows everything again', async () => {
  const page = await console.open('#/bases/all');
  await page.getByText('132 items').waitFor();
  await chooseMore(page, 'Delete all items');
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('all');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No items yet').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('132 items', { exact: true }).waitFor();
  await keyCell(page, 'user-000000').waitFor();
});

test('what is put back and what is added stands in its place', async () => {
  const page = await console.open('#/bases/placed');
  await page.getByText('700 items').waitFor();
  await page.getByRole('checkbox', { name: 'Select user-000003' }).click();
  await page.getByRole('checkbox', { name: 'Select user-000005' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('698 items', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('700 items', { exact: true }).waitFor();
  await keyCell(page, 'user-000005').waitFor();
  await becomes(() => firstKeys(page, 8), keysFrom(0, 8));

  await page.getByRole('button', { name: 'Item', exact: true }).click();
  await typeJson(page, 'the new item', '{"key":"user-0000035"}');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('701 items', { exact: true }).waitFor();
  await keyCell(page, 'user-0000035').waitFor();
  await becomes(() => firstKeys(page, 6), [...keysFrom(0, 4), 'user-0000035', 'user-000004']);
});

test('Ctrl Z after a save takes it back, and the focus stays in the grid', async () => {
  const page = await console.open('#/bases/saved');
  const before = await stored(console, 'saved', 'user-000000');
  const age = (row: number) =>
    page
      .getByRole('row', { name: `Select user-00000${row}` })
      .getByRole('gridcell')
      .nth(3);
  const edit = async (row: number, value: string) => {
    await age(row).dblclick();
    await page.getByRole('dialog').or(page.locator('.cell-editor')).getByRole('textbox').fill(value);
    await page.keyboard.press('Enter');
  };
  await edit(0, '99');
  await page.keyboard.press('Control+s');
  await page.getByText('Saved 1 item').waitFor();
  await edit(1, '98');
  await page.getByRole('button', { name: /^Save/ }).click();
  await page.getByText('Saved 1 item').nth(1).waitFor();
  await page.getByText('1 change').waitFor({ state: 'detached' });
  await becomes(() => active(page), 'grid');

  await page.keyboard.press('Control+z');
  await page.getByText('Undid the changes of 1 item').waitFor();
  await age(1).getByText('21').waitFor();
  await becomes(() => active(page), 'grid');
  // Somebody else changes the other one.
  const theirs = before.replace('"age":20', '"age":50');
  await store(console, 'saved', [theirs]);
  await page.keyboard.press('Control+z');
  await page.getByText('1 item changed since, left alone').waitFor();
  assert.equal(await stored(console, 'saved', 'user-000000'), theirs);
  await age(0).getByText('50').waitFor();
});

test('a row that does not match after a change says so, and is not counted', async () => {
  const query = encodeURIComponent('[{"age?lt":30}]');
  const page = await console.open(`#/bases/marked?query=${query}`);
  await page.getByText('10 matches').waitFor();
  await page.getByRole('row', { name: 'Select user-000002' }).getByRole('gridcell').nth(3).dblclick();
  await page.locator('.cell-editor').getByRole('textbox').fill('77');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Control+s');
  await page.getByText('9 matches').waitFor();
  const row = page.getByRole('row', { name: 'Select user-000002' });
  await row.getByText('no longer matches').waitFor();
  await becomes(() => page.getByText('no longer matches').count(), 1);
  await page.keyboard.press('Control+z');
  await page.getByText('10 matches').waitFor();
  await page.getByText('no longer matches').waitFor({ state: 'detached' });
});

test('a new item that does not match the query is said to, and does not count; neither does its undo', async () => {
  const page = await console.open(`#/bases/marked?query=${encodeURIComponent('[{"age?gte":70}]')}`);
  await page.getByText('10 matches').waitFor();
  const add = async (text: string) => {
    await page.getByRole('button', { name: 'Item', exact: true }).click();
    await page.getByRole('tab', { name: 'JSON' }).click();
    await typeJson(page, 'the new item', text);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
  };
  await add('{"key":"young","age":3}');
  await page.getByText('Added 1 item, which does not match the query').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Deleted 1 item').waitFor();
  await page.getByText('10 matches').waitFor();
  await add('{"key":"old","age":99}');
  await page.getByText('Added 1 item', { exact: true }).waitFor();
  await page.getByText('11 matches').waitFor();
});
