import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { editCell, save, typeJson } from './support/editing.js';
import { store, stored } from './support/items.js';

// An item that is changed in its cells, its fields and its JSON has one draft.

const console = useConsole();

test('what is changed in the fields is in the JSON and the other way round, and one save stores all of it', async () => {
  await store(console, 'one', ['{"key":"a","n":1,"text":"old"}', '{"key":"b","n":1}']);
  const page = await console.open('#/bases/one?item=a');
  await page.getByRole('textbox', { name: 'n', exact: true }).fill('2');
  await page.getByRole('tab', { name: 'JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'JSON of a' });
  await editor.getByText('2', { exact: true }).waitFor();
  await typeJson(page, 'a', '{"key":"a","n":2,"text":"old","added":1.50}');
  await page.getByText('2 changes').first().waitFor();
  await page.getByRole('tab', { name: 'Fields' }).click();
  await page.getByRole('textbox', { name: 'added', exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'text', exact: true }).fill('new');
  await save(page);
  await page.getByText('Saved 1 item').waitFor();
  assert.equal(await stored(console, 'one', 'a'), '{"key":"a","n":2,"text":"new","added":1.50}');
  await becomes(() => page.getByRole('region', { name: 'Staged changes' }).count(), 0);
});

test('JSON with a mistake is not saved, nor lost, and the fields wait until it is corrected', async () => {
  await store(console, 'mistakes', ['{"key":"a","n":1}', '{"key":"b","n":1}']);
  const page = await console.open('#/bases/mistakes?item=b');
  await page.getByRole('tab', { name: 'JSON' }).click();
  await typeJson(page, 'b', '{"key":"b","n":');
  await page.getByRole('tab', { name: 'Fields' }).click();
  await page.getByText('The JSON has a mistake').waitFor();
  await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
  await editCell(page, 'n', '5');
  await save(page);
  const editor = page.getByRole('textbox', { name: 'JSON of b' });
  await editor.waitFor();
  await page.getByText('The JSON of b has a mistake').waitFor();
  assert.equal(await stored(console, 'mistakes', 'a'), '{"key":"a","n":1}');
  await typeJson(page, 'b', '{"key":"b","n":7.0}');
  await save(page);
  await page.getByText('Saved 2 items').waitFor();
  assert.equal(await stored(console, 'mistakes', 'a'), '{"key":"a","n":5}');
  assert.equal(await stored(console, 'mistakes', 'b'), '{"key":"b","n":7.0}');
});

test('another order of the attributes is a change, and is stored as it was typed', async () => {
  await store(console, 'orders', ['{"key":"a","n":1,"text":"old"}']);
  const page = await console.open('#/bases/orders?item=a');
  await page.getByRole('tab', { name: 'JSON' }).click();
  await typeJson(page, 'a', '{"text":"old","key":"a","n":1}');
  await page.getByText('1 change').first().waitFor();
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByText('The order of its attributes').waitFor();
  await page.keyboard.press('Escape');
  await save(page);
  await page.getByText('Saved 1 item').waitFor();
  assert.equal(await stored(console, 'orders', 'a'), '{"text":"old","key":"a","n":1}');
});
