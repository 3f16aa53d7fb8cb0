import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible } from './support/axe.js';
import { useConsole } from './support/console.js';
import { chooseMore, editCell, save } from './support/editing.js';
import { store, stored } from './support/items.js';

const console = useConsole({
  async prepare(service) {
    for (const base of ['edited', 'others', 'added'])
      await store(service, base, ['{"key":"a","n":9007199254740993}', '{"key":"b","n":2}']);
  },
});

const dialog = (page: Page) => page.getByRole('dialog');
const entries = (page: Page) => dialog(page).getByRole('list', { name: 'Saved changes, newest first' });
const takeBack = (page: Page, at: number) =>
  dialog(page).getByRole('button', { name: 'Take back' }).nth(at).click();

async function change(page: Page, text: string): Promise<void> {
  await editCell(page, 'n', text);
  await save(page);
  await page.getByText('Saved 1 item').last().waitFor();
}

test('what was saved is in the history, also after a reload, and is taken back digit by digit', async () => {
  const page = await console.open('#/bases/edited');
  await change(page, '5');
  await page.getByRole('checkbox', { name: 'Select b' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 1 item').waitFor();
  await page.reload();
  await page.getByText('1 item', { exact: true }).waitFor();
  await chooseMore(page, 'Saved changes');
  await entries(page).getByText('1 item deleted').waitFor();
  await entries(page).getByText('1 item changed').waitFor();
  await entries(page).getByText('9007199254740993').waitFor();
  await assertAccessible(page, 'history');
  await takeBack(page, 1);
  await page.getByText('Undid the changes of 1 item').waitFor();
  assert.equal(await stored(console, 'edited', 'a'), '{"key":"a","n":9007199254740993}');
  // What was taken back is a change of its own: the deletion is the second one now.
  await takeBack(page, 1);
  await entries(page).getByText('1 item added').waitFor();
  assert.equal(await stored(console, 'edited', 'b'), '{"key":"b","n":2}');
  await dialog(page).getByRole('button', { name: 'Close' }).click();
  await page.getByText('2 items', { exact: true }).waitFor();
});

test('what somebody else has changed again stays as it is', async () => {
  const page = await console.open('#/bases/others');
  await change(page, '5');
  await console.call('PUT', '/others/items', '{"items":[{"key":"a","n":6}]}');
  await chooseMore(page, 'Saved changes');
  await takeBack(page, 0);
  await page.getByText(/1 item changed since, left alone/).waitFor();
  assert.equal(await stored(console, 'others', 'a'), '{"key":"a","n":6}');
});

test('the history ends with the session', async () => {
  const page = await console.open('#/bases/added');
  await change(page, '5');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Key').waitFor();
  const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }));
  assert.doesNotMatch(kept, /9007199254740993/);
});
