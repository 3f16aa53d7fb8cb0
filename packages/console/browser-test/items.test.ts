import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { typeJson } from './support/editing.js';
import { oddItems, people, person, store, stored } from './support/items.js';

const console = useConsole({
  async prepare(service) {
    for (const base of ['people', 'copies', 'many', 'exported', 'imported']) {
      await store(service, base, people(1500));
    }
    await store(service, 'odd', oddItems);
  },
});

const count = async (base: string) =>
  ((await (await console.call('POST', `/${base}/query/count`, '{}')).json()) as { count: number }).count;

test('a base is made with its first item, and the item is taken back', async () => {
  const page = await console.open();
  await page.getByRole('button', { name: 'New base' }).first().click();
  await page.getByLabel('Name').fill('fresh base');
  await page.keyboard.press('Enter');
  await page.getByText('No items yet').waitFor();
  await page.getByRole('button', { name: 'Add an item' }).click();
  await typeJson(page, 'the new item', '{"key":"first","n":1.0}');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Added 1 item').waitFor();
  assert.equal(await stored(console, 'fresh base', 'first'), '{"key":"first","n":1.0}');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Deleted 1 item').waitFor();
  assert.equal((await console.call('GET', '/fresh%20base/items/first')).status, 404);
});

test('a new item is written as fields, too', async () => {
  const page = await console.open('#/bases/copies');
  await page.getByRole('grid').waitFor();
  await page.getByRole('button', { name: 'Item', exact: true }).click();
  const panel = page.getByRole('complementary', { name: 'New item' });
  await panel.getByRole('tab', { name: 'Fields' }).click();
  await panel.getByRole('textbox', { name: 'key', exact: true }).fill('fielded');
  await panel.getByRole('textbox', { name: 'age', exact: true }).fill('1.50');
  for (const name of ['active', 'home', 'tags', 'balance'])
    await panel.getByRole('button', { name: `Remove ${name}` }).click();
  await panel.getByLabel('Name of the new attribute').fill('a.dot');
  await panel.getByLabel('Value of the new attribute').fill('2.0');
  await page.keyboard.press('Enter');
  await panel.getByRole('textbox', { name: 'a.dot' }).waitFor();
  await page.keyboard.press('Control+s');
  await page.getByText('Added 1 item').waitFor();
  assert.equal(
    await stored(console, 'copies', 'fielded'),
    '{"key":"fielded","name":"","age":1.50,"a.dot":2.0}',
  );
});

test('an item is duplicated with everything but its key', async () => {
  const page = await console.open('#/bases/copies?item=user-000004');
  await page.getByRole('button', { name: 'Item actions' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await page.getByRole('textbox', { name: 'JSON of the new item' }).waitFor();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Added 1 item').waitFor();
  const key = new URL(page.url()).hash.match(/item=([a-z0-9]{12})/)?.[1] ?? '';
  assert.equal(await stored(console, 'copies', key), person(4).replace('user-000004', key));
});

test('a condition is typed with completion, shown as a pill, counted, and taken back as text', async () => {
  const page = await console.open('#/bases/people');
  await page.getByRole('grid').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('ag');
  await page.getByRole('option', { name: 'age' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.type('>= 50');
  await page.keyboard.press('Enter');
  await page.getByText('750 matches').waitFor();
  await page.waitForURL(/query=/);

  await page.keyboard.type('active = true');
  await page.keyboard.press('Enter');
  await page.getByText('500 matches').waitFor();
  await page.getByRole('button', { name: 'The query as JSON and code' }).click();
  const json = page.getByLabel('Query as JSON');
  await becomes(() => json.inputValue(), '[\n  {\n    "age?gte": 50,\n    "active": true\n  }\n]');
  await page.getByRole('tab', { name: 'curl' }).click();
  await page.getByText(`-d '{"query":[{"age?gte":50,"active":true}]}'`).waitFor();
  await page.keyboard.press('Escape');
  // A dialog that closes gives the focus back.
  await json.waitFor({ state: 'hidden' });

  await page.getByLabel('Add a condition').focus();
  await page.keyboard.press('Backspace');
  await page.getByText('750 matches').waitFor();
  await becomes(() => page.getByLabel('Add a condition').inputValue(), 'active = true');
});

test('a query is changed as JSON, and a wrong one is explained', async () => {
  const page = await console.open('#/bases/people?query=%5B%7B%22age%3Flike%22%3A1%7D%5D');
  await page.getByText('age?like: there is no operator like').waitFor();
  await page.getByRole('button', { name: 'The query as JSON and code' }).click();
  await page.getByLabel('Query as JSON').fill('{"key?pfx": "user-0001"}');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('100 matches').waitFor();
});

test('all matches are deleted after a dry run told how many, and the others stay', async () => {
  const page = await console.open('#/bases/many?query=%5B%7B%22active%22%3Afalse%7D%5D');
  await page.getByText('500 matches').waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Delete the matches' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 500 items of many?' });
  assert.equal(await count('many'), 1500);
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 500 items').waitFor();
  await page.getByText('No item matches').waitFor();
  assert.equal(await count('many'), 1000);

  // The matches are back in view, although they were read anew since.
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Put back 500 items').waitFor();
  await page.getByText('500 matches').waitFor();
  await page.getByRole('gridcell').first().waitFor();
  assert.equal(await count('many'), 1500);
});

test('an undo of another query than the one in view shows what is there then', async () => {
  await store(console, 'undone', ['{"key":"a","n":1}', '{"key":"b","n":2}']);
  const page = await console.open('#/bases/undone');
  await page.getByRole('checkbox', { name: 'Select a', exact: true }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 1 item').waitFor();
  await page.getByText('1 item', { exact: true }).waitFor();
  await page.getByLabel('Add a condition').fill('n < 5');
  await page.keyboard.press('Enter');
  await page.getByText('1 match', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('2 matches').waitFor();
  await page.locator('.cell.pinned').getByText('a', { exact: true }).waitFor();
});

test('conditions are typed together, and words that are none are searched', async () => {
  const page = await console.open('#/bases/people');
  await page.getByRole('grid').waitFor();
  const field = page.getByLabel('Add a condition');
  await becomes(() => field.getAttribute('placeholder'), 'Filter: age >= 20');
  await field.fill('age >= 50 and active = true or name ~ "Ada and Alan"');
  await page.keyboard.press('Enter');
  await page.getByText('500 matches').waitFor();
  assert.equal(
    new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('query'),
    '[{"age?gte":50,"active":true},{"name?icontains":"Ada and Alan"}]',
  );
  await page.getByRole('button', { name: 'Remove all conditions' }).click();
  await page.getByText('1,500 items').waitFor();
  await field.fill('Grace Hop');
  await page.keyboard.press('Enter');
  await page.getByText('250 matches').waitFor();
});

test('a query that the service refuses is said to be the reason, and removed', async () => {
  const page = await console.open('#/bases/people?query=nonsense');
  await page.getByText('The service refused this query').waitFor();
  await page.getByRole('button', { name: 'Remove all conditions' }).last().click();
  await page.getByText('1,500 items').waitFor();
});

test('a base is exported as its items are stored, and the selection alone', async () => {
  const page = await console.open('#/bases/odd');
  await page.getByRole('grid').waitFor();
  const expected = await (await console.call('GET', '/odd/items')).text();
  const all = page.waitForEvent('download');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Export', exact: true }).click();
  assert.equal(await readFile(await (await all).path(), 'utf8'), expected);

  const some = page.waitForEvent('download');
  await page.getByRole('checkbox', { name: 'Select exact' }).click();
  await page.getByRole('button', { name: 'Export' }).click();
  assert.equal(
    await readFile(await (await some).path(), 'utf8'),
    `${await stored(console, 'odd', 'exact')}\n`,
  );
});

test('a file is imported, and the lines that were refused are listed', async () => {
  const page = await console.open('#/bases/imported');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Import' }).click();
  await page.setInputFiles('input[type=file]', {
    name: 'items.ndjson',
    mimeType: 'application/x-ndjson',
    buffer: Buffer.from('{"key":"new","n":1.00}\n{"key":""}\nnot JSON\n'),
  });
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByText('Stored 1 item. Refused 2 lines.').waitFor();
  await page.getByText('item.key: must not be empty').waitFor();
  assert.equal(await stored(console, 'imported', 'new'), '{"key":"new","n":1.00}');
  assert.equal(await count('imported'), 1501);
});
