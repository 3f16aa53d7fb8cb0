import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { chooseMore } from './support/editing.js';
import { hold } from './support/hold.js';
import { people, store, stored } from './support/items.js';

const console = useConsole({
  async prepare(service) {
    await store(service, 'people', people(1200));
    const many = Array.from(
      { length: 13_000 },
      (_, n) => `{"key":"k${String(n).padStart(6, '0')}","n":${n}}`,
    );
    for (const base of ['deleted', 'updated', 'exported']) await store(service, base, many);
  },
});

const count = async (base: string, query = '[]') =>
  (
    (await (await console.call('POST', `/${base}/query/count`, `{"query":${query}}`)).json()) as {
      count: number;
    }
  ).count;

const young = '[{"age?lt":30,"active":true}]';

test('matches are updated after an example and their number, and taken back text by text', async () => {
  const page = await console.open(`#/bases/people?query=${encodeURIComponent(young)}`);
  const matches = await count('people', young);
  const before = await stored(console, 'people', 'user-000001');
  await page.getByText(`${matches} matches`).waitFor();
  await chooseMore(page, 'Update the matches');
  const dialog = page.getByRole('dialog', { name: `Update ${matches} items` });
  await dialog.getByLabel('Attribute', { exact: true }).fill('home.city');
  await dialog.getByLabel('Value', { exact: true }).fill('Oslo');
  await dialog.getByRole('button', { name: 'Another change' }).click();
  const second = dialog.getByRole('group', { name: 'Change', exact: true });
  await second.getByLabel('What to do').selectOption('Add to');
  await second.getByLabel('Attribute').fill('balance');
  await dialog.getByLabel('Value').last().fill('0.25');
  const example = dialog.getByRole('region', { name: 'Example' });
  await example.getByRole('cell', { name: '1.75' }).waitFor();
  assert.equal(await stored(console, 'people', 'user-000001'), before);

  await dialog.getByRole('button', { name: `Update ${matches} items` }).click();
  await page.getByText(`Updated ${matches} items`).waitFor();
  const after = before.replace('Bletchley', 'Oslo').replace('1.50', '1.75');
  assert.equal(await stored(console, 'people', 'user-000001'), after);
  await page.getByText('"city":"Oslo"', { exact: false }).first().waitFor();
  assert.equal(await count('people', '[{"home.city":"Oslo"}]'), matches);

  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText(`Undid the changes of ${matches} items`).waitFor();
  assert.equal(await stored(console, 'people', 'user-000001'), before);
  assert.equal(await count('people', '[{"home.city":"Oslo"}]'), 0);
});

test('items that cannot be changed are left as they are and listed', async () => {
  await store(console, 'mixed', ['{"key":"a","n":1.0}', '{"key":"b","n":"one"}', '{"key":"c"}']);
  const page = await console.open('#/bases/mixed');
  await page.getByRole('grid').focus();
  await page.keyboard.press('Control+a');
  await page.getByRole('button', { name: 'Update' }).click();
  const dialog = page.getByRole('dialog', { name: 'Update 3 selected items' });
  await dialog.getByLabel('What to do').selectOption('Add to');
  await dialog.getByLabel('Attribute', { exact: true }).fill('n');
  await dialog.getByLabel('Value', { exact: true }).fill('1');
  await dialog.getByRole('button', { name: 'Update 3 items' }).click();
  const outcome = page.getByRole('dialog', { name: 'Updated' });
  await outcome.getByText('Updated 2 items. 1 item left as it was.').waitFor();
  await outcome.getByText('increment.n: the attribute is not a number').waitFor();
  assert.equal(await stored(console, 'mixed', 'a'), '{"key":"a","n":2}');
  assert.equal(await stored(console, 'mixed', 'b'), '{"key":"b","n":"one"}');
  assert.equal(await stored(console, 'mixed', 'c'), '{"key":"c","n":1}');
});

test('a large deletion shows its progress and stops where it is', async () => {
  const page = await console.open('#/bases/deleted');
  await page.getByText('13,000 items').waitFor();
  // The first request is the dry run.
  const { isHeld, letGo } = await hold(page, '/query/delete', 3);
  await chooseMore(page, 'Delete all items');
  const dialog = page.getByRole('dialog', { name: 'Delete 13,000 items of deleted?' });
  await dialog.getByText('This cannot be undone.').waitFor();
  await dialog.getByRole('textbox').fill('deleted');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await isHeld;
  const job = page.getByRole('region', { name: 'Work in progress' });
  await job.getByText('5,000 of 13,000').waitFor();
  await job.getByRole('button', { name: 'Stop' }).click();
  letGo();
  await page.getByText('Deleted 10,000 items, then stopped').waitFor();
  assert.equal(await count('deleted'), 3000);
  await page.getByText('3,000 items').first().waitFor();
});

test('a large deletion by query names the query and the base, shows examples, and asks for the name', async () => {
  const page = await console.open(`#/bases/exported?query=${encodeURIComponent('[{"n?gte":1000}]')}`);
  await page.getByText('12,000 matches').waitFor();
  await chooseMore(page, 'Delete the matches');
  const dialog = page.getByRole('dialog', { name: 'Delete 12,000 items of exported?' });
  await dialog.getByText('n ≥ 1000', { exact: true }).waitFor();
  await dialog.getByText('k001000').waitFor();
  await dialog.getByText('and 11,997 more').waitFor();
  await dialog.getByText('This cannot be undone.').waitFor();
  const button = dialog.getByRole('button', { name: 'Delete' });
  await becomes(() => button.isDisabled(), true);
  await dialog.getByRole('textbox').fill('exported');
  await becomes(() => button.isDisabled(), false);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await count('exported'), 13_000);
});

test('a large update shows its progress and stops where it is; each item is changed once', async () => {
  const page = await console.open('#/bases/updated');
  await page.getByText('13,000 items').waitFor();
  const { isHeld, letGo } = await hold(page, '/query/update', 2);
  await chooseMore(page, 'Update all items');
  const dialog = page.getByRole('dialog', { name: 'Update 13,000 items' });
  await dialog.getByText('That many cannot be undone.').waitFor();
  await dialog.getByLabel('Attribute', { exact: true }).fill('new');
  await dialog.getByLabel('Value', { exact: true }).fill('1.0');
  await dialog.getByRole('button', { name: 'Update 13,000 items' }).click();
  await isHeld;
  const job = page.getByRole('region', { name: 'Work in progress' });
  await job.getByRole('progressbar').waitFor();
  await job.getByRole('button', { name: 'Stop' }).click();
  letGo();
  await page.getByText('Updated 4,000 items, then stopped').waitFor();
  assert.equal(await count('updated', '[{"new":1}]'), 4000);
});

test('a large export of matches is stopped, and saves nothing', async () => {
  const page = await console.open(`#/bases/exported?query=${encodeURIComponent('[{"n?gte":10}]')}`);
  await page.getByText('12,990 matches').waitFor();
  const downloads: unknown[] = [];
  page.on('download', (download) => downloads.push(download));
  const { isHeld, letGo } = await hold(page, '/query', 3);
  await chooseMore(page, 'Export the matches');
  await isHeld;
  const job = page.getByRole('region', { name: 'Work in progress' });
  await job.getByText(/of 12,990/).waitFor();
  await job.getByRole('button', { name: 'Stop' }).click();
  await job.waitFor({ state: 'hidden' });
  letGo();
  assert.equal(downloads.length, 0);
});

test('a large import is stopped after the part that is on its way, and tells what was stored', async () => {
  const page = await console.open('#/bases/imported');
  const line = (n: number) => `{"key":"i${n}","text":"${'x'.repeat(1000)}"}\n`;
  const file = Buffer.from(Array.from({ length: 12_000 }, (_, n) => line(n)).join(''));
  const { isHeld, letGo } = await hold(page, '/imported/items', 2);
  await chooseMore(page, 'Import');
  await page.setInputFiles('input[type=file]', { name: 'a.ndjson', mimeType: 'text/plain', buffer: file });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await isHeld;
  await page.getByText(/^[\d,]+ items stored$/).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  letGo();
  const text = (await page.getByText(/^Stopped\. Stored [\d,]+ items\./).textContent()) ?? '';
  const told = Number(/Stored ([\d,]+)/.exec(text)?.[1]?.replaceAll(',', ''));
  assert.equal(await count('imported'), told);
  assert.ok(told > 0 && told < 12_000, String(told));
});
