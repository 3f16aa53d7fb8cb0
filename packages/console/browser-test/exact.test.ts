import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { key, useConsole } from './support/console.js';
import { editCell } from './support/editing.js';
import { store, stored } from './support/items.js';

const deep = `${'{"a":['.repeat(45)}null${']}'.repeat(45)}`;
/** Values that a parser, a printer or an object of JavaScript would change. */
const odd = [
  '"double":0.30000000000000004,"long":9007199254740993,"tiny":5e-324,"huge":1.7976931348623157e308',
  '"minus":-0,"plain":1.0,"power":1E+2,"zeros":0.1000',
  '"order":{"10":1,"2":{"b":1,"a":2},"01":3}',
  '"__proto__":{"__proto__":{"x":1}},"constructor":"c","toString":null,"hasOwnProperty":false',
  '"e\u0301":"e and an accent","\u00e9":"one character","E":1,"\u0435":"Cyrillic","K":2,"\u212a":"Kelvin"',
  `"lines":"\u2028\u2029\u0085","emoji":"👩‍👩‍👧‍👦","quote":"\\"\\\\ \\u0000 \\u001f"`,
  `"a.dot":1.50,"what?ne":2.50," ":"blank","deep":${deep}`,
].join(',');
const item = `{"key":"odd","edited":1,${odd}}`;
/** An item near the limit of 400 KiB. */
const large = `{"key":"large","edited":1,"text":"${'ä\\n'.repeat(90_000)}","list":[${'0.10,'.repeat(5000)}1]}`;

const console = useConsole({
  async prepare(service) {
    for (const base of ['cell', 'fields', 'json', 'copy', 'updated', 'deleted'])
      await store(service, base, [item]);
    await store(service, 'large', [large]);
  },
});

const saved = (page: Page) => page.getByText('Saved 1 item').waitFor();

for (const [base, whole] of [
  ['cell', item],
  ['large', large],
] as const) {
  test(`a cell is edited beside odd values, and taken back: ${base}`, async () => {
    assert.equal(await stored(console, base, JSON.parse(whole).key), whole);
    const page = await console.open(`#/bases/${base}`);
    await page.getByRole('grid').waitFor();
    await editCell(page, 'edited', '2.50');
    await page.keyboard.press('Control+s');
    await saved(page);
    const { key } = JSON.parse(whole) as { key: string };
    assert.equal(await stored(console, base, key), whole.replace('"edited":1,', '"edited":2.50,'));
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undid').waitFor();
    assert.equal(await stored(console, base, key), whole);
  });
}

test('a field is edited, another one added and removed, beside odd values', async () => {
  const page = await console.open('#/bases/fields?item=odd');
  const inspector = page.getByRole('complementary', { name: 'odd' });
  await inspector.getByRole('textbox', { name: 'edited', exact: true }).fill('0.10');
  await inspector.getByRole('button', { name: 'Remove toString' }).click();
  await inspector.getByLabel('Name of the new attribute').fill('isPrototypeOf');
  await inspector.getByLabel('Value of the new attribute').fill('-0.0');
  await inspector.getByRole('button', { name: 'Add' }).click();
  await page.keyboard.press('Control+s');
  await saved(page);
  const after = item
    .replace('"edited":1,', '"edited":0.10,')
    .replace('"toString":null,', '')
    .replace(/\}$/, ',"isPrototypeOf":-0.0}');
  assert.equal(await stored(console, 'fields', 'odd'), after);
});

test('the commands for an item stand in the quotes of a shell, whatever its key is', async () => {
  const name = "it's a/b?c#d%e 😀";
  await store(console, "o'base", [`{"key":${JSON.stringify(name)},"n":1}`]);
  const page = await console.open(`#/bases/${encodeURIComponent("o'base")}`);
  await page.locator('.cell.pinned').getByText(name).dblclick();
  await page.getByRole('tab', { name: 'Code' }).click();
  const command = (await page.getByLabel('commands', { exact: true }).textContent())?.split('\n')[0] ?? '';
  const address = /^curl '([^']+)' -H "X-API-Key: \$KEY"$/.exec(command)?.[1] ?? '';
  const answer = await fetch(address, { headers: { 'X-API-Key': key } });
  assert.equal(await answer.text(), `{"key":${JSON.stringify(name)},"n":1}`);
});

test('the JSON of an item with odd values is formatted, changed in one place, and saved', async () => {
  const page = await console.open('#/bases/json?item=odd');
  await page.getByRole('tab', { name: 'JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'JSON of odd' });
  await editor.waitFor();
  await page.getByRole('button', { name: 'Format' }).click();
  await editor.getByText('"edited"').click();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.type('.0');
  await page.keyboard.press('Control+s');
  await saved(page);
  assert.equal(await stored(console, 'json', 'odd'), item.replace('"edited":1,', '"edited":1.0,'));
});

test('an item with odd values is duplicated, and deleted and put back', async () => {
  const page = await console.open('#/bases/copy?item=odd');
  await page.getByRole('button', { name: 'Item actions' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.getByRole('textbox', { name: 'JSON of the new item' }).waitFor();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Added 1 item').waitFor();
  const key = new URL(page.url()).hash.match(/item=([a-z0-9]{12})/)?.[1] ?? '';
  assert.equal(await stored(console, 'copy', key), item.replace('"odd"', `"${key}"`));

  const other = await console.open('#/bases/deleted');
  await other.getByRole('checkbox', { name: 'Select odd' }).click();
  await other.keyboard.press('Delete');
  await other.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await other.getByText('Deleted 1 item').waitFor();
  await other.getByRole('button', { name: 'Undo' }).click();
  await other.getByText('Put back 1 item').waitFor();
  assert.equal(await stored(console, 'deleted', 'odd'), item);
});

test('many items are updated beside odd values, and taken back', async () => {
  const page = await console.open('#/bases/updated');
  await page.getByRole('checkbox', { name: 'Select odd' }).click();
  await page.getByRole('button', { name: 'Update' }).click();
  const dialog = page.getByRole('dialog', { name: 'Update 1 selected item' });
  await dialog.getByLabel('Attribute', { exact: true }).fill('order.2.b');
  await dialog.getByLabel('Value', { exact: true }).fill('1.0');
  await dialog.getByRole('button', { name: 'Update 1 item' }).click();
  await page.getByText('Updated 1 item').waitFor();
  assert.equal(await stored(console, 'updated', 'odd'), item.replace('{"b":1,', '{"b":1.0,'));
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undid').waitFor();
  assert.equal(await stored(console, 'updated', 'odd'), item);
});

test('a number that the service refuses is told, and nothing is changed', async () => {
  await store(console, 'refused', ['{"key":"a","edited":1}']);
  const page = await console.open('#/bases/refused');
  await page.getByRole('grid').waitFor();
  await editCell(page, 'edited', '12345678901234567890');
  await page.keyboard.press('Control+s');
  await page.locator('.toast.failed').getByText('edited').waitFor();
  assert.equal(await stored(console, 'refused', 'a'), '{"key":"a","edited":1}');
  await page.locator('.cell.staged').getByText('12345678901234567890').waitFor();
});
