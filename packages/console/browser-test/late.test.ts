import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { editCell, save, typeJson } from './support/editing.js';
import { hold } from './support/hold.js';
import { store, stored } from './support/items.js';

// An answer that comes late leaves what somebody does in the meantime as it is.

const console = useConsole({
  async prepare(service) {
    const items = ['{"key":"a","n":1}', '{"key":"b","n":2}', '{"key":"c","n":3}'];
    for (const base of ['saved', 'conflict', 'added', 'typing', 'other', 'deleted', 'copies', 'reviewed'])
      await store(service, base, items);
  },
});

const panel = (page: Page, name: string) => page.getByRole('complementary', { name, exact: true });
const openCell = (page: Page, key: string) =>
  page.locator('.cell.pinned').getByText(key, { exact: true }).dblclick();

test('a dialog that is opened while changes are saved stays open', async () => {
  const page = await console.open('#/bases/saved');
  await page.getByRole('grid').waitFor();
  await editCell(page, 'n', '7');
  const { isHeld, letGo } = await hold(page, '/transactions');
  await save(page);
  await isHeld;
  await page.getByRole('button', { name: 'Find a key' }).click();
  await page.getByRole('dialog').waitFor();
  letGo();
  await page.getByText('Saved 1 item').waitFor();
  await page.getByText('1 change').waitFor({ state: 'detached' });
  await becomes(() => page.getByRole('dialog').isVisible(), true);
});

test('a conflict is shown once the dialog that was opened meanwhile is closed', async () => {
  const page = await console.open('#/bases/conflict');
  await page.getByRole('grid').waitFor();
  await editCell(page, 'n', '7');
  await console.call('PATCH', '/conflict/items/a', '{"set":{"n":8}}');
  const { isHeld, letGo } = await hold(page, '/transactions');
  await save(page);
  await isHeld;
  await page.getByRole('button', { name: 'Find a key' }).click();
  const keys = page.getByRole('dialog');
  await keys.getByRole('textbox').waitFor();
  const read = page.waitForResponse((response) => response.url().endsWith('/items/a'));
  letGo();
  await (await read).finished();
  await page.locator('.staged-bar [aria-busy=true]').waitFor({ state: 'detached' });
  await becomes(() => page.getByText('Changed by somebody else').count(), 0);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').getByText('Changed by somebody else').waitFor();
});

test('an item that is added late is not opened over another one, nor in another base', async () => {
  const page = await console.open('#/bases/added');
  await page.getByRole('grid').waitFor();
  for (const key of ['d', 'e']) {
    await page.getByRole('button', { name: 'Item', exact: true }).click();
    await typeJson(page, 'the new item', `{"key":"${key}","n":4}`);
    const { isHeld, letGo } = await hold(page, '/added/items');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await isHeld;
    if (key === 'd') {
      await panel(page, 'New item').getByRole('button', { name: 'Close' }).click();
      await openCell(page, 'b');
      await panel(page, 'b').waitFor();
    } else {
      await page.goto(`${console.url}#/bases/other?item=b`);
      await page.getByRole('grid', { name: 'Items of other' }).waitFor();
    }
    letGo();
    await page.getByText('Added 1 item').first().waitFor();
    await becomes(() => panel(page, 'b').isVisible(), true);
    await becomes(() => page.getByText('Text not saved').count(), 0);
    await page.getByRole('button', { name: 'Dismiss' }).click();
  }
});

test('what is typed while an item is added stays', async () => {
  const page = await console.open('#/bases/typing');
  await page.getByRole('grid').waitFor();
  await page.getByRole('button', { name: 'Item', exact: true }).click();
  await typeJson(page, 'the new item', '{"key":"one"}');
  const { isHeld, letGo } = await hold(page, '/typing/items');
  await save(page);
  await isHeld;
  await typeJson(page, 'the new item', '{"key":"two"}');
  letGo();
  await page.getByText('Added 1 item').waitFor();
  await save(page);
  await panel(page, 'two').waitFor();
  for (const key of ['one', 'two']) assert.equal(await stored(console, 'typing', key), `{"key":"${key}"}`);
});

test('a deletion that ends late closes no item of another base, and leaves what is selected meanwhile', async () => {
  const page = await console.open('#/bases/deleted?item=a');
  await page.getByRole('grid').waitFor();
  const remove = async (key: string) => {
    await panel(page, key).getByRole('button', { name: 'Item actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    const held = await hold(page, '/transactions');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await held.isHeld;
    return held.letGo;
  };
  const first = await remove('a');
  await page.getByRole('checkbox', { name: 'Select b' }).click();
  first();
  await page.getByText('Deleted 1 item').waitFor();
  await panel(page, 'a').waitFor({ state: 'detached' });
  await becomes(() => page.getByText('1 selected').isVisible(), true);
  await page.getByRole('button', { name: 'Dismiss' }).click();

  await openCell(page, 'b');
  const second = await remove('b');
  await page.goto(`${console.url}#/bases/other?item=b`);
  await page.getByRole('grid', { name: 'Items of other' }).waitFor();
  second();
  await page.getByText('Deleted 1 item').waitFor();
  await becomes(() => panel(page, 'b').isVisible(), true);
});

test('a copy begins with the item although another new one is not saved, and both texts are kept', async () => {
  const page = await console.open('#/bases/copies');
  await page.getByRole('grid').waitFor();
  await page.getByRole('button', { name: 'Item', exact: true }).click();
  await typeJson(page, 'the new item', '{"key":"mine","n":77}');
  await panel(page, 'New item').getByRole('button', { name: 'Close' }).click();
  await openCell(page, 'c');
  await panel(page, 'c').getByRole('button', { name: 'Item actions' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  const editor = page.getByRole('textbox', { name: 'JSON of the new item' });
  await editor.getByText('3', { exact: true }).waitFor();
  await typeJson(page, 'the new item', '{"key":"copy","n":3}');
  await panel(page, 'New item').getByRole('button', { name: 'Close' }).click();
  await page.getByText('Text not saved: the new item, and 1 more').waitFor();
  await page.getByRole('button', { name: 'Discard it' }).click();
  await page.getByText('Text not saved: the copy of c').waitFor();
  await page.getByRole('button', { name: 'Open it' }).click();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Added 1 item').waitFor();
  assert.equal(await stored(console, 'copies', 'copy'), '{"key":"copy","n":3}');
  await becomes(() => page.getByText('Text not saved').count(), 0);
});

test('what is discarded in the review comes back by an undo', async () => {
  const page = await console.open('#/bases/reviewed');
  await page.getByRole('grid').waitFor();
  await editCell(page, 'n', '7');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard all' }).click();
  await page.getByText('Discarded 1 change').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('1 change', { exact: true }).waitFor();
  await becomes(() => page.locator('.cell.staged').textContent(), '7');
});

test('an item that is still being read does not show the one that was open before', async () => {
  const nothing = encodeURIComponent('[{"n":99}]');
  const page = await console.open(`#/bases/other?query=${nothing}&item=a`);
  const value = (key: string) => panel(page, key).getByRole('textbox', { name: 'n', exact: true });
  await value('a').waitFor();
  const { isHeld, letGo } = await hold(page, '/items/b');
  await page.goto(`${console.url}#/bases/other?query=${nothing}&item=b`);
  await isHeld;
  await becomes(() => value('b').count(), 0);
  letGo();
  await value('b').waitFor();
  await becomes(() => value('b').inputValue(), '2');
});
