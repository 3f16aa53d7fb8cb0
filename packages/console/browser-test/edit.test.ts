import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.js';
import { key, useConsole } from './support/console.js';
import { clipboard, editCell, paste, save, typeJson } from './support/editing.js';
import { store, stored } from './support/items.js';

const exact =
  '{"key":"a","price":0.1000,"order":{"10":1,"2":2},"big":9007199254740993,"text":"old","a.dot":1e5,"none":null}';

const console = useConsole({
  async prepare(service) {
    for (const base of ['cells', 'conflict', 'fields', 'dots']) await store(service, base, [exact]);
  },
});

test('an edited cell changes its attribute alone, after it was staged, and can be taken back', async () => {
  const page = await console.open('#/bases/cells');
  await page.getByRole('grid').waitFor();
  await editCell(page, 'text', 'new "text"');
  await page.getByText('1 change').waitFor();
  assert.equal(await stored(console, 'cells', 'a'), exact);

  await editCell(page, 'price', '0.2000');
  await page.getByText('2 changes').waitFor();
  await editCell(page, 'price', '0.1000');
  await page.getByText('1 change', { exact: true }).waitFor();
  await page.keyboard.press('Control+z');
  await page.getByText('2 changes').waitFor();

  await save(page);
  await page.getByText('Saved 1 item').waitFor();
  const after = exact.replace('"old"', '"new \\"text\\""').replace('0.1000', '0.2000');
  assert.equal(await stored(console, 'cells', 'a'), after);

  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undid the changes').waitFor();
  assert.equal(await stored(console, 'cells', 'a'), exact);
});

test('staged changes outlive a visit to another base, and are gone after signing out', async () => {
  const page = await console.open('#/bases/cells');
  await page.getByRole('grid').waitFor();
  await editCell(page, 'text', 'staged for later');
  await page.getByText('1 change').waitFor();
  await page.getByRole('link', { name: 'dots' }).click();
  await page.getByRole('heading', { name: 'dots' }).waitFor();
  await page.getByText('1 change').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'cells' }).click();
  await page.getByText('1 change').waitFor();
  await page.locator('.cell.staged').getByText('staged for later').waitFor();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('grid').waitFor();
  await becomes(() => page.getByText('1 change').count(), 0);
  assert.equal(await stored(console, 'cells', 'a'), exact);
});

test('a boolean is chosen, and a value is read in full before it is saved', async () => {
  const text = 'a long text '.repeat(40).trim();
  await store(console, 'flags', ['{"key":"a","on":true,"text":"short"}']);
  const page = await console.open('#/bases/flags?item=a');
  const inspector = page.getByRole('complementary', { name: 'a' });
  await inspector.getByRole('combobox', { name: 'on', exact: true }).selectOption('false');
  await inspector.getByRole('textbox', { name: 'text', exact: true }).fill(text);
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Review' }).last().click();
  const shown = page.getByRole('dialog').getByText(text);
  const isClipped = await shown.evaluate((element) => element.scrollWidth > element.clientWidth);
  assert.equal(isClipped, false);
  await page.getByRole('button', { name: 'Save 2 changes' }).click();
  await page.getByText('Saved 1 item').waitFor();
  assert.equal(await stored(console, 'flags', 'a'), `{"key":"a","on":false,"text":"${text}"}`);
});

test('what is typed in a field is staged at once; what is discarded comes back by an undo', async () => {
  await store(console, 'discarded', ['{"key":"a","text":"old","n":1}']);
  const page = await console.open('#/bases/discarded?item=a');
  const inspector = page.getByRole('complementary', { name: 'a' });
  const text = inspector.getByRole('textbox', { name: 'text', exact: true });
  await text.pressSequentially(' and new');
  await page.getByText('1 change').waitFor();
  await page.getByRole('button', { name: 'Discard', exact: true }).click();
  await page.getByText('Discarded 1 change').waitFor();
  await becomes(() => text.inputValue(), 'old');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('1 change', { exact: true }).waitFor();
  await becomes(() => text.inputValue(), 'old and new');

  await page.getByRole('tab', { name: 'JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'JSON of a' });
  await typeJson(page, 'a', '{"key":"a","mine":1.0}');
  await editor.getByText('1.0').waitFor();
  await inspector.getByRole('button', { name: 'Discard', exact: true }).click();
  await editor.getByText('old').waitFor();
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await editor.getByText('1.0').waitFor();
  await page
    .getByRole('region', { name: 'Staged changes' })
    .getByText(/changes$/)
    .waitFor();
});

test('a value that is wrong for its type is not staged, and Escape leaves the cell as it was', async () => {
  const page = await console.open('#/bases/cells');
  await page.getByRole('grid').waitFor();
  await editCell(page, 'price', 'cheap');
  await page.getByText('Not a number, such as 42').waitFor();
  await page.keyboard.press('Escape');
  await becomes(() => page.locator('.cell-editor').count(), 0);
  await becomes(() => page.locator('.cell.staged').count(), 0);
});

test('two tabs that edit one item: the second is told, sees both, and decides', async () => {
  const [first, second] = [await console.open('#/bases/conflict'), await console.open('#/bases/conflict')];
  await first.getByRole('grid').waitFor();
  await second.getByRole('grid').waitFor();
  await editCell(first, 'text', 'from the first');
  await editCell(second, 'text', 'from the second');
  await save(first);
  await first.getByText('Saved 1 item').waitFor();

  await save(second);
  const dialog = second.getByRole('dialog');
  await dialog.getByText('Changed by somebody else').waitFor();
  await dialog.getByRole('columnheader', { name: 'Stored now' }).waitFor();
  await dialog.getByText('from the first').waitFor();
  await dialog.getByText('from the second').waitFor();
  assert.equal(await stored(console, 'conflict', 'a'), exact.replace('"old"', '"from the first"'));

  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await second.getByText('Saved 1 item').waitFor();
  assert.equal(await stored(console, 'conflict', 'a'), exact.replace('"old"', '"from the second"'));
});

test('fields of the inspector are changed, added and removed', async () => {
  const page = await console.open('#/bases/fields?item=a');
  const inspector = page.getByRole('complementary', { name: 'a' });
  await inspector.getByRole('textbox', { name: 'text', exact: true }).fill('line 1\nline 2');
  await inspector.getByRole('button', { name: 'Remove none' }).click();
  const price = inspector.getByRole('textbox', { name: 'price' });
  await price.fill('0.3000');
  await inspector.getByLabel('Name of the new attribute').fill('added');
  await inspector.getByLabel('Value of the new attribute').fill('1.50');
  await inspector.getByRole('button', { name: 'Add' }).click();
  await page.getByText('4 changes').waitFor();
  await price.fill('0.4000');
  await save(page);
  await page.getByText('Saved 1 item').waitFor();
  const after = exact
    .replace('"old"', '"line 1\\nline 2"')
    .replace('0.1000', '0.4000')
    .replace(',"none":null', ',"added":1.50');
  assert.equal(await stored(console, 'fields', 'a'), after);
});

test('an attribute with a dot in its name is changed, and nothing beside it', async () => {
  const page = await console.open('#/bases/dots');
  await page.getByRole('grid').waitFor();
  await editCell(page, 'a.dot', '2e5');
  await save(page);
  await page.getByText('Saved 1 item').waitFor();
  assert.equal(await stored(console, 'dots', 'a'), exact.replace('1e5', '2e5'));
});

test('a number that no 64-bit float can hold is refused before it is saved', async () => {
  await store(console, 'limits', ['{"key":"a","n":1}']);
  const page = await console.open('#/bases/limits');
  await page.getByRole('grid').waitFor();
  await editCell(page, 'n', '1e400');
  await page.getByText('Too large for a number').waitFor();
  await page.locator('.cell-editor textarea').fill('-1e-400');
  await page.keyboard.press('Enter');
  await page.getByText('Too small for a number').waitFor();
  await page.locator('.cell-editor textarea').fill('0.000e-400');
  await page.keyboard.press('Enter');
  await page.getByText('1 change').waitFor();

  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Update all items' }).click();
  await page.getByLabel('What to do').selectOption('Add to');
  await page.getByLabel('Attribute', { exact: true }).fill('n');
  await page.getByLabel('Value', { exact: true }).fill('1e999999999');
  await page.getByText('n: Too large for a number').waitFor();
  await becomes(() => page.getByRole('button', { name: 'Update 1 item' }).isDisabled(), true);
});

test('a save that the service refuses names the item and the attribute, and stays staged', async () => {
  await store(console, 'refused', ['{"key":"a","n":1,"mail":"x"}', '{"key":"b","n":2,"mail":"y"}']);
  await console.call('PUT', '/refused/indexes/by-mail', '{"fields":["mail"],"unique":true}');
  const page = await console.open('#/bases/refused');
  await page.getByRole('grid').waitFor();
  await editCell(page, 'n', '123456789012345678');
  await save(page);
  await page.getByText(/^a: n: a number of 18 significant digits/).waitFor();

  await editCell(page, 'n', '3');
  await editCell(page, 'mail', 'y');
  await save(page);
  await page.getByText('a: another item has the same mail').waitFor();
  await page.getByText('2 changes').waitFor();
});

test('a block of a spreadsheet is pasted on a cell, and each value keeps its type', async () => {
  const items = ['{"key":"r1","n":1.0,"text":"a"}', '{"key":"r2","n":2,"text":"b"}'];
  await store(console, 'block', items);
  const page = await console.open('#/bases/block', clipboard);
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowRight');
  await paste(page, '1.50\t10\n2\t20\nbeyond\tthe end\n');
  await page.getByText('3 changes').waitFor();
  await save(page);
  await page.getByText('Saved 2 items').waitFor();
  assert.equal(await stored(console, 'block', 'r1'), '{"key":"r1","n":1.50,"text":"10"}');
  assert.equal(await stored(console, 'block', 'r2'), '{"key":"r2","n":2,"text":"20"}');
});
