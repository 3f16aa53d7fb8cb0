import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.js';
import { key, useConsole } from './support/console.js';
import { typeJson } from './support/editing.js';
import { people, store } from './support/items.js';

const console = useConsole({
  async prepare(service) {
    const long = 'x'.repeat(200);
    await store(service, 'odd', [
      '{"key":"a","text":"","n":1}',
      `{"key":"b","text":"${long}","n":2," ":"spaces"}`,
    ]);
    await store(service, 'users', people(60));
    await fetch(`${service.url}v1/demo/photos/files?name=broken.png`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'image/png' },
      body: 'no image',
    });
  },
});

test('an empty string moves no other cell of its row, however wide its column is', async () => {
  const page = await console.open('#/bases/odd');
  await page.getByRole('grid').waitFor();
  const head = page.getByRole('columnheader', { name: /^text/ });
  const box = await head.locator('.resize-handle').boundingBox();
  assert.ok(box !== null);
  await page.mouse.move(box.x + 4, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + 250, box.y + 10, { steps: 4 });
  await page.mouse.up();
  const left = async (row: number) => {
    const cell = page.locator(`[data-row="${row}"] [role=gridcell][aria-colindex="4"]`);
    return Math.round((await cell.boundingBox())?.x ?? -1);
  };
  await becomes(async () => (await left(0)) === (await left(1)), true);
});

test('an attribute whose name is a space has a name that one can read', async () => {
  const page = await console.open('#/bases/odd?item=b');
  await page.getByRole('textbox', { name: '" "', exact: true }).waitFor();
  await page.locator('.item-field-name').getByText('" "').waitFor();
});

test('a broken image is said to be none', async () => {
  const page = await console.open('#/drives/photos?file=broken.png');
  await page.getByText('These bytes are no image that a browser can show.').waitFor();
  await becomes(() => page.locator('img.preview-media').count(), 0);
});

test('a key is taken with the quotes around it', async () => {
  const page = await console.open('', { isSignedIn: false });
  await page.getByLabel('Key').fill(`"${key}"`);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'demo' }).waitFor();
  await becomes(() => page.evaluate(() => Object.values(sessionStorage)), [key]);
});

test('completion goes on behind and, and or', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('60 items').waitFor();
  const field = page.getByRole('combobox', { name: 'Add a condition' });
  await field.fill('age >= 30 and ac');
  await page.getByRole('option', { name: /^active/ }).click();
  await becomes(() => field.inputValue(), 'age >= 30 and active ');
  await field.fill('age >= 30 and active = f');
  await page.getByRole('option', { name: 'false' }).click();
  await page.getByText('16 matches').waitFor();
});

test('Enter on a plain word searches it in all texts', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('60 items').waitFor();
  const field = page.getByRole('combobox', { name: 'Add a condition' });
  await field.fill('hopper');
  await page.getByRole('option', { name: 'Search all texts for hopper' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('10 matches').waitFor();
  await field.fill('age < 30');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Remove all conditions' }).click();
  await field.fill('age < 30');
  await page.keyboard.press('Enter');
  await page.getByText('10 matches').waitFor();
  await field.fill('hopper');
  await page.keyboard.press('Enter');
  await page.getByText('2 matches').waitFor();
});

test('after Add the keyboard goes on with the next attribute, and after a new item in the list', async () => {
  const page = await console.open('#/bases/odd?item=a');
  await page.getByRole('textbox', { name: 'Name of the new attribute' }).fill('color');
  await page.getByRole('textbox', { name: 'Value of the new attribute' }).fill('red');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'color', exact: true }).waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await becomes(() => focused(), 'Name of the new attribute');
  await page.getByRole('button', { name: 'Item', exact: true }).click();
  await typeJson(page, 'the new item', '{"key":"added","n":1}');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('complementary', { name: 'added' }).waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'grid');
});

test('on a phone items are sorted, their attributes chosen, and the bar of a selection is one line', async () => {
  const page = await console.open('#/bases/users', { viewport: { width: 375, height: 700 } });
  await page.getByText('60 items').waitFor();
  const menu = page.getByRole('button', { name: 'Sort and columns' });
  await menu.click();
  const dialog = page.getByRole('dialog', { name: 'Sort and columns' });
  await dialog.getByLabel('Sort by').selectOption('balance');
  await dialog.getByRole('button', { name: 'Upwards' }).click();
  for (const name of ['name', 'age', 'active'])
    await dialog.getByRole('checkbox', { name, exact: false }).click();
  await page.keyboard.press('Escape');
  await page.locator('[data-row="0"]').getByText('user-000059').waitFor();
  await page.locator('[data-row="0"] .card-name').getByText('balance').waitFor();
  await becomes(() => page.locator('[data-row="0"] .card-name').getByText('age', { exact: true }).count(), 0);
  await page.getByRole('checkbox', { name: 'Select user-000059' }).click();
  const bar = await page.locator('.screen-foot').boundingBox();
  assert.ok(bar !== null && bar.height < 60, String(bar?.height));
});
