import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Locator } from 'playwright-core';
import { cellAt, dragCells } from './support/cells.js';
import { useConsole } from './support/console.js';
import { editCell } from './support/editing.js';
import { store } from './support/items.js';

// Where the system has its own colours, such as those of high contrast, and where texts are written from right to left.

const arabic = 'البداية هذا نص عربي طويل لا يتسع في خلية واحدة ويجب أن يظهر أوله لا آخره في كل مكان';

const console = useConsole({
  async prepare(service) {
    await store(service, 'people', [
      '{"key":"a","name":"Ada","age":36}',
      '{"key":"b","name":"Bob","age":40}',
      '{"key":"c","name":"Cleo","age":41}',
    ]);
    await store(service, 'letters', [
      `{"key":"a","text":"${arabic}"}`,
      '{"key":"b","text":"a Latin text, then العربية"}',
    ]);
  },
});

const background = (cell: Locator) => cell.evaluate((element) => getComputedStyle(element).backgroundColor);

test('in the colours of the system, what is selected, open and staged is seen', async () => {
  const page = await console.open('#/bases/people', { forcedColors: 'active' });
  await page.getByRole('grid').waitFor();
  await dragCells(page, [1, 2], [2, 3]);
  const plain = await background(cellAt(page, 3, 2));
  const selected = await background(cellAt(page, 2, 3));
  assert.notEqual(selected, plain);
  assert.equal(await background(cellAt(page, 1, 2)), selected);

  await page.getByRole('checkbox', { name: 'Select c' }).click();
  assert.equal(await background(cellAt(page, 3, 2)), selected);

  await editCell(page, 'name', 'Ada Lovelace');
  await page.getByText('1 change').waitFor();
  const mark = await cellAt(page, 1, 2).evaluate((element) => {
    const { color } = getComputedStyle(element);
    return { color, mark: getComputedStyle(element, '::before').backgroundColor };
  });
  assert.equal(mark.mark, mark.color);
});

test('a text from right to left that is cut keeps its beginning, in cells, cards and fields', async () => {
  const page = await console.open('#/bases/letters');
  await page.getByRole('grid').waitFor();
  const direction = (text: Locator) => text.evaluate((element) => getComputedStyle(element).direction);
  assert.equal(await direction(cellAt(page, 1, 2)), 'rtl');
  assert.equal(await direction(cellAt(page, 2, 2)), 'ltr');
  await cellAt(page, 1, 2).dblclick();
  assert.equal(await direction(page.locator('.cell-editor textarea')), 'rtl');
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal(await direction(page.locator('.card-line .value .clip').first()), 'rtl');
});
