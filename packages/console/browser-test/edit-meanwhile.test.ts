import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.js';
import { cellAt } from './support/cells.js';
import { useConsole } from './support/console.js';
import { clipboard, editCell, paste, save, typeJson } from './support/editing.js';
import { hold } from './support/hold.js';
import { store, stored } from './support/items.js';

// What is done while a request is on its way, and what others do while something is edited.

const console = useConsole();

test('what is staged for an item while it is saved stays staged, and a step back takes back that alone', async () => {
  await store(console, 'late', ['{"key":"a","n":1,"text":"old","other":"as it was"}']);
  const page = await console.open('#/bases/late');
  await page.getByRole('grid').waitFor();
  await editCell(page, 'n', '2');
  await editCell(page, 'text', 'first');
  const { isHeld, letGo } = await hold(page, '/transactions');
  await save(page);
  await isHeld;
  await editCell(page, 'text', 'second');
  await editCell(page, 'other', 'changed');
  letGo();
  await page.getByText('Saved 1 item').waitFor();
  await page.getByText('2 changes').waitFor();
  assert.equal(await stored(console, 'late', 'a'), '{"key":"a","n":2,"text":"first","other":"as it was"}');
  await save(page);
  await page.getByText('2 changes').waitFor({ state: 'detached' });
  assert.equal(await stored(console, 'late', 'a'), '{"key":"a","n":2,"text":"second","other":"changed"}');
});

test('a save of which a part fails on the network can be taken back as far as it went', async () => {
  // No path can address `a.b`: each item is put whole, after a check, and 50 fill a transaction.
  const items = Array.from({ length: 51 }, (_, n) => `{"key":"${100 + n}","a.b":"old"}`);
  await store(console, 'parts', items);
  const page = await console.open('#/bases/parts', clipboard);
  await page.getByText('51 items').waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowRight');
  await paste(page, 'new\n'.repeat(51));
  await page.getByText('51 changes').waitFor();
  let sent = 0;
  await page.route('**/transactions', (route) => (++sent === 2 ? route.abort() : route.continue()));
  await save(page);
  await page.locator('.toast.failed').waitFor();
  await page.getByText('1 change', { exact: true }).waitFor();
  await page.getByText('Saved 50 items').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undid the changes of 50 items').waitFor();
  assert.equal(await stored(console, 'parts', '100'), items[0]);
});

test('JSON that is typed while it is saved stays, as a change of what was saved', async () => {
  await store(console, 'typing', ['{"key":"a","n":1}']);
  const page = await console.open('#/bases/typing?item=a');
  await page.getByRole('tab', { name: 'JSON' }).click();
  await typeJson(page, 'a', '{"key":"a","n":2}');
  await page.getByRole('region', { name: 'Staged changes' }).waitFor();
  const { isHeld, letGo } = await hold(page, '/transactions');
  await save(page);
  await isHeld;
  await typeJson(page, 'a', '{"key":"a","n":3}');
  letGo();
  await page.getByText('Saved 1 item').waitFor();
  assert.equal(await stored(console, 'typing', 'a'), '{"key":"a","n":2}');
  await page.getByRole('textbox', { name: 'JSON of a' }).getByText('3').waitFor();
  await save(page);
  await page.getByRole('region', { name: 'Staged changes' }).waitFor({ state: 'detached' });
  assert.equal(await stored(console, 'typing', 'a'), '{"key":"a","n":3}');
});

test('JSON whose panel is closed while it is saved is not said to be unsaved', async () => {
  await store(console, 'closed', ['{"key":"a","n":1}']);
  const page = await console.open('#/bases/closed?item=a');
  await page.getByRole('tab', { name: 'JSON' }).click();
  await typeJson(page, 'a', '{"key":"a","n":2}');
  await page.getByRole('region', { name: 'Staged changes' }).waitFor();
  const { isHeld, letGo } = await hold(page, '/transactions');
  await save(page);
  await isHeld;
  await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
  letGo();
  await page.getByText('Saved 1 item').waitFor();
  await page.getByRole('region', { name: 'Staged changes' }).waitFor({ state: 'detached' });
  assert.equal(await stored(console, 'closed', 'a'), '{"key":"a","n":2}');
});

test('what somebody else stores while a cell is edited is not overwritten, and not staged by a look at it', async () => {
  await store(console, 'both', ['{"key":"a","text":"old","n":1}', '{"key":"b","text":"old","n":1}']);
  const page = await console.open('#/bases/both');
  await page.getByRole('grid').waitFor();
  const theirs = async (key: string) => {
    await console.call('PATCH', `/both/items/${key}`, '{"set":{"text":"theirs","n":2}}');
    await page
      .getByRole('row', { name: `Select ${key}` })
      .getByText('changed')
      .waitFor();
  };
  const name = await page.getByRole('columnheader', { name: /^text/ }).getAttribute('aria-colindex');
  const edit = (row: number) => cellAt(page, row, Number(name) - 1).dblclick();
  await edit(2);
  await theirs('b');
  await page.keyboard.press('Enter');
  await becomes(() => cellAt(page, 2, Number(name) - 1).textContent(), 'theirs');
  await page.getByText('1 change').waitFor({ state: 'detached' });

  await edit(1);
  await page.locator('.cell-editor textarea').fill('mine');
  await theirs('a');
  await page.keyboard.press('Enter');
  await page.getByText('1 change').waitFor();
  await save(page);
  const dialog = page.getByRole('dialog', { name: 'Changed by somebody else' });
  await dialog.getByText('theirs', { exact: true }).waitFor();
  assert.equal(await stored(console, 'both', 'a'), '{"key":"a","text":"theirs","n":2}');
  await dialog.getByRole('button', { name: 'Keep mine' }).click();
  await page
    .getByRole('dialog', { name: 'Staged changes' })
    .getByRole('button', { name: 'Save 1 change' })
    .click();
  await page.getByText('Saved 1 item').waitFor();
  assert.equal(await stored(console, 'both', 'a'), '{"key":"a","text":"mine","n":2}');
});

test('what is typed in a cell is kept over a reload, before it is taken', async () => {
  await store(console, 'typed', ['{"key":"a","text":"old"}']);
  const page = await console.open('#/bases/typed');
  await page.getByRole('grid').waitFor();
  await cellAt(page, 1, 2).dblclick();
  await page.locator('.cell-editor textarea').fill('half a wor');
  page.removeAllListeners('dialog');
  page.on('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await page.getByText('1 change').waitFor();
  await page.getByRole('gridcell', { name: 'half a wor' }).waitFor();
});

test('what is typed into a field stays when somebody else changes its value, and overwrites nothing', async () => {
  const item = '{"key":"a","tags":["x"],"text":"old"}';
  await store(console, 'fields', [item]);
  const page = await console.open('#/bases/fields?item=a');
  const text = page.getByRole('textbox', { name: 'text', exact: true });
  await text.click();
  await console.call('PATCH', '/fields/items/a', '{"set":{"text":"theirs"}}');
  await becomes(() => text.inputValue(), 'theirs');
  const tags = page.getByRole('textbox', { name: 'tags', exact: true });
  await tags.fill('["x","mine"');
  await console.call('PATCH', '/fields/items/a', '{"set":{"tags":["theirs"]}}');
  await page.getByRole('gridcell', { name: '["theirs"]' }).waitFor();
  assert.equal(await tags.inputValue(), '["x","mine"');
  await tags.press(']');
  await save(page);
  await page.getByRole('dialog', { name: 'Changed by somebody else' }).waitFor();
  assert.equal(await stored(console, 'fields', 'a'), '{"key":"a","tags":["theirs"],"text":"theirs"}');
});

test('Escape in a field gives no older value back than the one that somebody else has stored', async () => {
  await store(console, 'escaped', ['{"key":"a","text":"old"}']);
  const page = await console.open('#/bases/escaped?item=a');
  const text = page.getByRole('textbox', { name: 'text', exact: true });
  await text.click();
  await console.call('PATCH', '/escaped/items/a', '{"set":{"text":"theirs"}}');
  await becomes(() => text.inputValue(), 'theirs');
  await text.fill('mine');
  await page.getByText('1 change').waitFor();
  await page.keyboard.press('Escape');
  await becomes(() => text.inputValue(), 'theirs');
  await page.getByText('1 change').waitFor({ state: 'detached' });
});
