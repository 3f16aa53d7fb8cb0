import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { people, store } from './support/items.js';

const console = useConsole({
  async prepare(service) {
    for (const base of ['users', 'selected']) await store(service, base, people(1500));
    const groups = ['order:2024:', 'order:2025:', 'user/'].flatMap((prefix) =>
      Array.from({ length: 300 }, (_, n) => `{"key":"${prefix}${String(n).padStart(3, '0')}","n":${n}}`),
    );
    await store(service, 'grouped', [...groups, '{"key":"alone"}']);
  },
});

const cell = (page: Page, n: number, column: number) =>
  page
    .getByRole('row', { name: `Select user-${String(n).padStart(6, '0')}` })
    .locator(`[aria-colindex="${column}"]`);
const count = async (base: string) =>
  ((await (await console.call('POST', `/${base}/query/count`, '{}')).json()) as { count: number }).count;

test('rows are selected by their boxes, a range with Shift, and one by one with Ctrl', async () => {
  const page = await console.open('#/bases/users');
  await cell(page, 2, 1).getByRole('checkbox').click();
  await cell(page, 6, 1)
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] });
  await page.getByText('5 selected').waitFor();
  await cell(page, 4, 3).click({ modifiers: ['Control'] });
  await page.getByText('4 selected').waitFor();
  await cell(page, 5, 1)
    .getByRole('checkbox')
    .click({ modifiers: ['Shift'] });
  await becomes(() => page.locator('[role=row][aria-selected=true]').count(), 5);
});

test('rows are selected with the keyboard, and all that match beyond those that are loaded', async () => {
  const page = await console.open('#/bases/selected');
  await page.getByText('1,500 items').waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+Space');
  await page.getByText('3 selected').waitFor();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Shift+Space');
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('Control+a');
  await page.getByRole('button', { name: 'Select all 1,500 items' }).click();
  await page.getByText('1,500 selected').waitFor();

  const file = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  assert.equal((await readFile(await (await file).path(), 'utf8')).split('\n').length - 1, 1500);

  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 1,500 items of selected?' });
  await dialog.getByRole('textbox').fill('selected');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 1,500 items').waitFor();
  assert.equal(await count('selected'), 0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Put back 1,500 items').waitFor();
  assert.equal(await count('selected'), 1500);
});

test('a column is resized by dragging and by keys, fitted by a double click, and stays so on the device', async () => {
  const page = await console.open('#/bases/users');
  const head = page.getByRole('columnheader', { name: 'name', exact: false }).first();
  const width = async () => Math.round((await head.boundingBox())?.width ?? 0);
  const before = await width();
  const box = await head.locator('.resize-handle').boundingBox();
  assert.ok(box !== null);
  await page.mouse.move(box.x + 4, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + 104, box.y + 10, { steps: 4 });
  await page.mouse.up();
  await becomes(() => width(), before + 100);
  await becomes(() => page.locator('[aria-sort]').count(), 0, 'dragging does not sort');

  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowLeft');
  await becomes(() => width(), before + 84);
  await page.reload();
  await head.waitFor();
  await becomes(() => width(), before + 84);
  await head.locator('.resize-handle').dblclick();
  await becomes(() => width(), before);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Key').waitFor();
  await becomes(() => page.evaluate(() => localStorage.getItem('basedrive-columns')), null);
});

test('keys are grouped by their beginnings, and lead to a group or to a key', async () => {
  const page = await console.open('#/bases/grouped');
  await page.getByText('901 items').waitFor();
  await page.getByRole('button', { name: 'Find a key' }).click();
  const dialog = page.getByRole('dialog', { name: 'Find a key' });
  const groups = dialog.getByRole('listitem');
  await dialog.getByText('600').waitFor();
  await becomes(() => groups.allTextContents(), ['alone', 'order:…600', 'user/…300']);
  await dialog.getByRole('button', { name: 'order:…', exact: true }).click();
  await dialog.getByText('2025:…').waitFor();
  await dialog.getByRole('button', { name: 'Show only order:2025:…' }).click();
  await page.getByText('300 matches').waitFor();
  await page.getByText('order:2025:000').waitFor();

  await page.getByRole('button', { name: 'Find a key' }).click();
  await dialog.getByLabel('Key, or the beginning of one').fill('user/2');
  await page.keyboard.press('Enter');
  await page.getByText('user/200').waitFor();
  await becomes(() => page.getByText('user/199').count(), 0);
  await page.getByRole('button', { name: 'Show from the first key' }).click();
  await page.getByText('alone').waitFor();
});
