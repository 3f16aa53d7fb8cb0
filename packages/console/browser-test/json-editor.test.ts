import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { editCell, save, typeJson } from './support/editing.js';
import { store, stored } from './support/items.js';

// An item as text.

const exact = '{"key":"a","price":0.1000,"order":{"10":1,"2":2},"text":"old"}';

const console = useConsole({ prepare: (service) => store(service, 'json', [exact]) });

test('the JSON editor saves what is typed, digit by digit, and shows a conflict', async () => {
  const page = await console.open('#/bases/json?item=a');
  await page.getByRole('tab', { name: 'JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'JSON of a' });
  await editor.waitFor();
  await editor.getByText('0.1000').dblclick();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{"key":"a","price":7.7700,"order":{"2":1,"10":2}}');
  await save(page);
  await page.getByText('Saved 1 item').waitFor();
  assert.equal(await stored(console, 'json', 'a'), '{"key":"a","price":7.7700,"order":{"2":1,"10":2}}');

  await typeJson(page, 'a', '{"key":"a","price":2}');
  await console.call('PATCH', '/json/items/a', '{"set":{"price":1}}');
  await save(page);
  await page.getByRole('dialog', { name: 'Changed by somebody else' }).waitFor();
  assert.equal(await stored(console, 'json', 'a'), '{"key":"a","price":1,"order":{"2":1,"10":2}}');
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await page.getByRole('button', { name: 'Save 2 changes' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  assert.equal(await stored(console, 'json', 'a'), '{"key":"a","price":2}');
});

test('Ctrl S saves the JSON that is open together with the other staged changes', async () => {
  await store(console, 'shortcut', ['{"key":"a","n":1}', '{"key":"b","n":1}']);
  const page = await console.open('#/bases/shortcut');
  await page.getByRole('grid').waitFor();
  await editCell(page, 'n', '2');
  await page.getByText('1 change').waitFor();
  await page.locator('.cell.pinned').getByText('b', { exact: true }).dblclick();
  await page.getByRole('tab', { name: 'JSON' }).click();
  await typeJson(page, 'b', '{"key":"b","n":7.0}');
  await page.getByText('2 changes').waitFor();
  await save(page);
  await page.getByText('2 changes').waitFor({ state: 'detached' });
  assert.equal(await stored(console, 'shortcut', 'b'), '{"key":"b","n":7.0}');
  assert.equal(await stored(console, 'shortcut', 'a'), '{"key":"a","n":2}');
});

test('Ctrl Enter and Ctrl S add a new item; what was wrong with its text is no longer said once it is changed', async () => {
  await store(console, 'added', ['{"key":"a","n":1}']);
  const page = await console.open('#/bases/added');
  await page.getByRole('grid').waitFor();
  for (const [name, keys] of [
    ['one', 'Control+Enter'],
    ['two', 'Control+s'],
  ] as const) {
    await page.getByRole('button', { name: 'Item', exact: true }).click();
    await typeJson(page, 'the new item', `{"key":"${name}"`);
    await page.keyboard.press(keys);
    await page.getByRole('alert').waitFor();
    await page.keyboard.insertText('}');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.keyboard.press(keys);
    await page.getByRole('complementary', { name }).waitFor();
    assert.equal(await stored(console, 'added', name), `{"key":"${name}"}`);
  }
});

test('the JSON editor keeps up with a person who types faster than the page draws', async () => {
  await store(console, 'typed', [`{"key":"a","n":1,"list":[${'[1,2],'.repeat(2000)}0]}`]);
  const page = await console.open('#/bases/typed?item=a');
  await page.getByRole('tab', { name: 'JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'JSON of a' });
  await editor.waitFor();
  await editor.getByText('"n"').click();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 6 });
  const digits = '0123456789'.repeat(3);
  // All keys at once: a key does not wait until the one before it is shown.
  await Promise.all(Array.from(digits, (digit) => page.keyboard.type(digit)));
  await editor.getByText(`1${digits}`).waitFor();
});

test('JSON that is not saved is kept when its panel is closed, and a change by others is shown before it is saved', async () => {
  await store(console, 'drafts', [exact, '{"key":"b","n":1}']);
  const page = await console.open('#/bases/drafts?item=a');
  await page.getByRole('tab', { name: 'JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'JSON of a' });
  await typeJson(page, 'a', '{"key":"a","mine":1.0}');
  const bar = page.getByRole('region', { name: 'Staged changes' });
  await bar.getByText('4 changes').waitFor();
  await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
  await editor.waitFor({ state: 'detached' });

  await console.call('PATCH', '/drafts/items/a', '{"set":{"text":"theirs"}}');
  await save(page);
  const conflict = page.getByRole('dialog', { name: 'Changed by somebody else' });
  await conflict.getByText('1.0').waitFor();
  assert.equal(await stored(console, 'drafts', 'a'), exact.replace('"old"', '"theirs"'));
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await bar.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Item', exact: true }).click();
  await typeJson(page, 'the new item', '{"key":"new","n":1.0}');
  await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
  await page.getByText('Text not saved: the new item').waitFor();
  await page.getByRole('button', { name: 'Open it' }).click();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Added 1 item').waitFor();
  assert.equal(await stored(console, 'drafts', 'new'), '{"key":"new","n":1.0}');
  await becomes(() => page.getByText('Text not saved').count(), 0);
});
