import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { chooseMore } from './support/editing.js';
import { people, store, stored } from './support/items.js';

const odd = [
  String.raw`{"key":"a","n":1.50,"s":"two\nlines, \"quoted\"","f":"=1+1","list":[1,2.0],"empty":""}`,
  '{"key":"b","n":-5,"s":"\'=kept","only":true}',
];

const console = useConsole({
  async prepare(service) {
    await store(service, 'people', people(2500));
    await store(service, 'odd', odd);
    await store(service, 'taken', ['{"key":"2","old":true}']);
  },
});

const count = async (base: string) =>
  ((await (await console.call('POST', `/${base}/query/count`, '{}')).json()) as { count: number }).count;

async function chooseFile(page: Page, base: string, content: string | Buffer, name = 'table.csv') {
  await page.goto(`${console.url}#/bases/${base}`);
  await page.getByRole('heading', { name: base, level: 1 }).waitFor();
  await chooseMore(page, 'Import');
  const buffer = Buffer.from(content);
  await page.setInputFiles('input[type=file]', { name, mimeType: 'text/csv', buffer });
  return page.getByRole('dialog', { name: 'Import items' });
}

const button = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true });

test('a table is imported: delimiter, types and keys are guessed, and numbers keep their digits', async () => {
  const page = await console.open();
  const table =
    'id;name;price;zip;paid;tags\r\n1;"Ada; ""the"" first";12.50;00123;TRUE;["x", 1.0]\r\n2;Zoë;3;00456;false;\r\n';
  const dialog = await chooseFile(page, 'guessed', table);
  await becomes(() => dialog.getByLabel('Between the cells').inputValue(), ';');
  await becomes(() => dialog.getByLabel('Keys are in').inputValue(), '0');
  await becomes(() => dialog.getByLabel('Type of price').inputValue(), 'number');
  await becomes(() => dialog.getByLabel('Type of zip').inputValue(), 'string');
  await button(page, 'Import').click();
  await page.getByText('Stored 2 items. No line was refused.').waitFor();
  assert.equal(
    await stored(console, 'guessed', '1'),
    String.raw`{"key":"1","name":"Ada; \"the\" first","price":12.50,"zip":"00123","paid":true,"tags":["x",1.0]}`,
  );
  assert.equal(
    await stored(console, 'guessed', '2'),
    '{"key":"2","name":"Zoë","price":3,"zip":"00456","paid":false}',
  );
});

test('a check stores nothing, and names the lines that cannot be stored and the keys that are taken', async () => {
  const page = await console.open();
  const table = 'id,n,text\n1,10,"a\nb"\n2,20,x\n3,many,x\n,30,x\n2,40,x\n5,50,x,extra\n';
  const dialog = await chooseFile(page, 'taken', table);
  await dialog.getByLabel('Keys are in').selectOption({ label: 'id' });
  await dialog.getByLabel('Type of n').selectOption({ label: 'number' });
  await button(page, 'Check').click();
  await dialog.getByText('3 lines can be stored, 3 lines cannot.').waitFor();
  await dialog.getByText('2 keys are stored already: these items are replaced.').waitFor();
  await dialog.getByText('1 line has the key of a line before').waitFor();
  const lines = await dialog
    .getByRole('table', { name: 'Lines that cannot be stored' })
    .getByRole('row')
    .allTextContents();
  assert.deepEqual(lines.slice(1), [
    '5n: Not a number, such as 42, -1.5 or 1e3',
    '6The key is empty',
    '84 cells in a table of 3 columns',
  ]);
  assert.equal(await count('taken'), 1);

  await dialog.getByLabel('Replace items that have the same key').click();
  await button(page, 'Import').click();
  await page.getByText('Stored 1 item. Refused 5 lines.').waitFor();
  const refused = await page
    .getByRole('table', { name: 'Refused lines' })
    .locator('tbody td:first-child')
    .allTextContents();
  assert.deepEqual(refused, ['4', '5', '6', '7', '8']);
  assert.equal(await stored(console, 'taken', '2'), '{"key":"2","old":true}');
  assert.equal(await stored(console, 'taken', '1'), String.raw`{"key":"1","n":10,"text":"a\nb"}`);
});

test('a table without names and keys gets them, and columns are renamed and left out', async () => {
  const page = await console.open();
  const dialog = await chooseFile(page, 'nameless', '1\tx\tsecret\n2\ty\tsecret\n', 'table.tsv');
  const header = dialog.getByLabel('The first line has the names of the columns');
  await becomes(() => header.isChecked(), false);
  await becomes(() => dialog.getByLabel('Between the cells').inputValue(), '\t');
  const names = dialog.getByLabel('Name of the attribute');
  await names.nth(0).fill('n');
  await names.nth(1).fill('n');
  await dialog.getByText('Two columns are named n.').waitFor();
  await becomes(() => button(page, 'Import').isDisabled(), true);
  await names.nth(1).fill('text');
  await dialog.getByLabel('Type of column 3').selectOption({ label: 'leave out' });
  await button(page, 'Import').click();
  await page.getByText('Stored 2 items.').waitFor();
  const { items } = (await (await console.call('POST', '/nameless/query', '{}')).json()) as {
    items: { key: string; n: number; text: string }[];
  };
  assert.deepEqual(items.map(({ n, text, ...rest }) => [n, text, Object.keys(rest).join()]).sort(), [
    [1, 'x', 'key'],
    [2, 'y', 'key'],
  ]);
});

test('characters of another encoding are read, and chosen', async () => {
  const page = await console.open();
  const dialog = await chooseFile(page, 'latin', Buffer.from('key,name\na,Zo\xeb\n', 'latin1'));
  await becomes(() => dialog.getByLabel('Characters').inputValue(), 'windows-1252');
  await dialog.getByText('Zoë').waitFor();
  await button(page, 'Import').click();
  await page.getByText('Stored 1 item.').waitFor();
  assert.equal(await stored(console, 'latin', 'a'), '{"key":"a","name":"Zoë"}');
});

test('a quote that is not closed ends the import with its line, and is no item', async () => {
  const page = await console.open();
  await chooseFile(page, 'open', 'key,name\na,x\nb,"never closed\nc,x\n');
  await button(page, 'Import').click();
  await page.getByText('a quote is not closed').waitFor();
  assert.equal(await count('open'), 0);
});

test('a large table arrives whole, line breaks and characters at the borders of its parts, too', async () => {
  const page = await console.open();
  const lines = Array.from({ length: 30_000 }, (_, n) => `k${n},"é${'ü'.repeat(n % 97)}\n${n}",${n}.0`);
  const dialog = await chooseFile(page, 'large', `key,text,n\n${lines.join('\n')}\n`);
  await dialog.getByLabel('Type of n').waitFor();
  await button(page, 'Import').click();
  await page.getByText('Stored 30,000 items. No line was refused.').waitFor();
  const text = (n: number) => `{"key":"k${n}","text":"é${'ü'.repeat(n % 97)}\\n${n}","n":${n}.0}`;
  for (const n of [0, 1234, 15_000, 29_999]) assert.equal(await stored(console, 'large', `k${n}`), text(n));
});

async function exportTable(page: Page, act: () => Promise<unknown>): Promise<string> {
  await act();
  const file = page.waitForEvent('download');
  await button(page, 'Export').click();
  return readFile(await (await file).path(), 'utf8');
}

test('a base is exported as a table with all attributes, which comes back as it was', async () => {
  const page = await console.open('#/bases/odd');
  await page.getByRole('grid').waitFor();
  const csv = await exportTable(page, () => chooseMore(page, 'Export as CSV'));
  assert.equal(
    csv,
    '\ufeffkey,n,s,f,list,empty,only\r\n' +
      'a,1.50,"two\nlines, ""quoted""",\'=1+1,"[1,2.0]",,\r\n' +
      "b,-5,''=kept,,,,true\r\n",
  );
  const dialog = await chooseFile(page, 'back', csv);
  await dialog.getByLabel('Type of list').waitFor();
  await button(page, 'Import').click();
  await page.getByText('Stored 2 items. No line was refused.').waitFor();
  assert.equal(await stored(console, 'back', 'a'), odd[0]?.replace(',"empty":""', ''));
  assert.equal(await stored(console, 'back', 'b'), odd[1]);
});

test('matches and a selection are exported with the columns of the list, and what is left out is told', async () => {
  const page = await console.open(`#/bases/people?query=${encodeURIComponent('[{"age?lt":30}]')}`);
  await page.getByText(/^[\d,]+ matches$/).waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  for (const name of ['home', 'tags', 'balance', 'note', 'expires'])
    await page.getByRole('checkbox', { name, exact: false }).click();
  await page.keyboard.press('Escape');
  const matches = await exportTable(page, async () => {
    await chooseMore(page, 'Export the matches as CSV');
    await page
      .getByRole('combobox', { name: 'Columns' })
      .selectOption({ label: 'The 4 columns of the list' });
    await page.getByLabel('Between the cells').selectOption({ label: 'Semicolon' });
    await page.getByLabel('For spreadsheets').click();
  });
  const lines = matches.trimEnd().split('\r\n');
  assert.equal(lines.length, 421);
  assert.deepEqual(lines.slice(0, 2), ['key;name;age;active', 'user-000000;Ada Lovelace;20;false']);
  await page.getByText('420 items have 5 attributes more').waitFor();

  await page.getByRole('checkbox', { name: 'Select user-000001' }).click();
  const selected = await exportTable(page, () => page.getByRole('button', { name: 'CSV…' }).click());
  assert.equal(selected.trimEnd().split('\r\n').length, 2);
});
