import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertAccessible } from './support/axe.js';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { chooseMore } from './support/editing.js';
import { hold } from './support/hold.js';
import { people, store } from './support/items.js';

// Indexes: why a sort is slow, and what is done about it.

const console = useConsole({ prepare: (service) => store(service, 'users', people(300)) });

const indexes = async () =>
  (await (await console.call('GET', '/users/indexes')).json()) as { indexes: { fields: string[] }[] };

test('a slow sort says what it reads and offers an index, which is made, listed and dropped', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('300 items').waitFor();
  const { isHeld, letGo } = await hold(page, '/query');
  await page.getByRole('columnheader', { name: /^age/ }).getByRole('button').click();
  await isHeld;
  await page.getByText('300 items, no index on age').waitFor();
  await page.getByRole('button', { name: 'Make an index' }).click();
  letGo();
  const dialog = page.getByRole('dialog', { name: 'Indexes' });
  await dialog.getByText('There is no index yet.').waitFor();
  await becomes(() => dialog.getByLabel('Attributes, between commas').inputValue(), 'age');
  await dialog.getByRole('button', { name: 'Make the index' }).click();
  const row = dialog.getByRole('row', { name: /by age/ });
  await row.getByText('Ready').waitFor();
  await row.getByText('300', { exact: true }).waitFor();
  assert.deepEqual(
    (await indexes()).indexes.map(({ fields }) => fields),
    [['age']],
  );
  await assertAccessible(page, 'indexes');

  await dialog.getByLabel('Attributes, between commas').fill('-name');
  await dialog.getByRole('button', { name: 'Make the index' }).click();
  await dialog.getByRole('alert').waitFor();

  await dialog.getByRole('button', { name: 'Drop by age' }).click();
  await page.getByRole('dialog', { name: 'Drop the index' }).getByRole('button', { name: 'Drop' }).click();
  await dialog.getByText('There is no index yet.').waitFor();
  assert.deepEqual((await indexes()).indexes, []);
});

test('a slow filter says how much it reads, and offers no index, which it would not use', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('300 items').waitFor();
  const { isHeld, letGo } = await hold(page, '/query');
  await page.getByRole('combobox', { name: 'Add a condition' }).fill('age >= 30');
  await page.keyboard.press('Enter');
  await isHeld;
  await page.getByText('up to 300 items to read').waitFor();
  await becomes(() => page.getByRole('button', { name: 'Make an index' }).count(), 0);
  letGo();
  await page.getByText('250 matches').waitFor();
});

test('a sort with an index, however slow, offers none', async () => {
  await console.call('PUT', '/users/indexes/names', '{"fields":["name"]}');
  const page = await console.open('#/bases/users');
  await page.getByText('300 items').waitFor();
  const { isHeld, letGo } = await hold(page, '/query');
  const answered = page.waitForResponse((response) => response.url().endsWith('/indexes'));
  await page.getByRole('columnheader', { name: /^name/ }).getByRole('button').click();
  await isHeld;
  await answered;
  await page.getByText('2 s', { exact: true }).waitFor();
  await becomes(() => page.getByText('no index on').count(), 0);
  letGo();
  await page.locator('[role=columnheader][aria-sort=ascending]').waitFor();
});

test('the indexes say how many queries have used them, and when', async () => {
  await store(console, 'counted', people(30));
  await console.call('PUT', '/counted/indexes/names', '{"fields":["name"]}');
  await console.call('PUT', '/counted/indexes/ages', '{"fields":["age"]}');
  const ready = async () =>
    (await (await console.call('GET', '/counted/indexes')).text()).split('"ready"').length;
  await becomes(ready, 3);
  await console.call('POST', '/counted/query', '{"order":["name"]}');
  await console.call('POST', '/counted/query', '{"order":["-name"]}');
  const page = await console.open('#/bases/counted');
  await page.getByText('30 items').waitFor();
  await chooseMore(page, 'Indexes');
  const dialog = page.getByRole('dialog', { name: 'Indexes' });
  const row = (name: string) => dialog.getByRole('row', { name: new RegExp(`^${name}`) });
  await row('names').getByRole('cell', { name: /^2, / }).waitFor();
  await row('ages').getByRole('cell', { name: 'none yet' }).waitFor();
});

test('a key that may only read sees the indexes and changes none', async () => {
  await console.call('PUT', '/users/indexes/names', '{"fields":["name"]}');
  const made = await console.call('POST', '/keys', '{"access":"read"}');
  const { key } = (await made.json()) as { key: string };
  const page = await console.open('#/bases/users', {
    before: (opened) => opened.addInitScript((own) => sessionStorage.setItem('basedrive-key', own), key),
  });
  await page.getByText('read-only').waitFor();
  await chooseMore(page, 'Indexes');
  const dialog = page.getByRole('dialog', { name: 'Indexes' });
  await dialog.getByRole('row', { name: /names/ }).waitFor();
  await becomes(() => dialog.getByRole('button', { name: /^(Drop|Make)/ }).count(), 0);
});
