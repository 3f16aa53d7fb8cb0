import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useConsole } from './support/console.js';
import { chooseMore } from './support/editing.js';
import { people, store } from './support/items.js';
import { type Screen, scrolledSideways, testScreens } from './support/screens.js';

const longName = `a-base-with-a-${'very-'.repeat(12)}long-name`;

const console = useConsole({
  async prepare(service) {
    for (const base of ['users', longName]) await store(service, base, people(1204));
    const groups = ['order:2024:', 'order:2025:', 'user/'].flatMap((prefix) =>
      Array.from({ length: 20 }, (_, n) => `{"key":"${prefix}${n}"}`),
    );
    await store(service, 'grouped', groups);
    const name = 'an-attribute-with-a-long-name-'.repeat(4);
    await store(service, 'long', [`{"key":"${'k'.repeat(150)}","${name}":"${'words '.repeat(200)}","n":1}`]);
  },
});

const states: readonly Screen[] = [
  {
    name: 'selection',
    fragment: '#/bases/users',
    async show(page) {
      await page.getByText('1,204 items').waitFor();
      await page.getByRole('grid').focus();
      await page.keyboard.press('Control+a');
      await page.getByRole('button', { name: 'Select all' }).waitFor();
    },
  },
  {
    name: 'update',
    fragment: `#/bases/users?query=${encodeURIComponent('[{"age?lt":40}]')}`,
    async show(page) {
      await page.getByText('matches').first().waitFor();
      await chooseMore(page, 'Update the matches');
      await page.getByLabel('Attribute', { exact: true }).fill('home.city');
      await page.getByLabel('Value', { exact: true }).fill('Oslo');
      await page.getByRole('button', { name: /^Update \d+ items$/ }).waitFor();
    },
  },
  {
    name: 'updated',
    fragment: '#/bases/grouped',
    async show(page) {
      await page.getByText('60 items').waitFor();
      await page.getByRole('grid').focus();
      await page.keyboard.press('Control+a');
      await page.getByRole('button', { name: 'Update' }).click();
      await page.getByLabel('What to do').selectOption('Add to');
      await page.getByLabel('Attribute', { exact: true }).fill('missing.n');
      await page.getByLabel('Value', { exact: true }).fill('1');
      await page.getByRole('button', { name: 'Update 60 items' }).click();
      await page.getByText('Updated 0 items. 60 items left as they were.').waitFor();
    },
  },
  {
    name: 'find-a-key',
    fragment: '#/bases/grouped',
    async show(page) {
      await page.getByText('60 items').waitFor();
      const opener = page.getByRole('button', { name: 'Find a key' });
      if ((await opener.count()) > 0) await opener.click();
      else await chooseMore(page, 'Find a key');
      await page.getByRole('dialog').getByText('40').waitFor();
    },
  },
  {
    name: 'job',
    fragment: '#/bases/users',
    async show(page) {
      await page.getByText('1,204 items').waitFor();
      await page.route('**/users/items', () => {});
      await chooseMore(page, 'Export');
      await page.getByRole('region', { name: 'Work in progress' }).waitFor();
    },
  },
  {
    name: 'draft',
    fragment: '#/bases/users',
    async show(page) {
      await page.getByText('1,204 items').waitFor();
      await page.getByRole('button', { name: 'Item', exact: true }).click();
      const editor = page.getByRole('textbox', { name: 'JSON of the new item' });
      await editor.click();
      await page.keyboard.type(' ');
      await page.getByRole('button', { name: 'Close' }).first().click();
      await page.getByText('Text not saved: the new item').waitFor();
    },
  },
  {
    name: 'long-item',
    fragment: `#/bases/long?item=${'k'.repeat(150)}`,
    show: (page) => page.getByRole('textbox', { name: 'n', exact: true }).waitFor(),
  },
  {
    name: 'import-file',
    fragment: '#/bases/grouped',
    async show(page) {
      await page.getByText('60 items').waitFor();
      await chooseMore(page, 'Import');
      const file = { name: `${'a-long-name-'.repeat(12)}.ndjson`, mimeType: 'application/x-ndjson' };
      await page.setInputFiles('input[type=file]', { ...file, buffer: Buffer.from('{"key":"x"}\n') });
      await page.getByText(file.name).waitFor();
    },
  },
  {
    name: 'import-table',
    fragment: '#/bases/grouped',
    async show(page) {
      await page.getByText('60 items').waitFor();
      await chooseMore(page, 'Import');
      const lines = Array.from(
        { length: 40 },
        (_, n) => `c${n},Customer ${n},${n === 7 ? 'none' : n}.50,Oslo`,
      );
      const buffer = Buffer.from(['id,name,balance,city', ...lines].join('\n'));
      await page.setInputFiles('input[type=file]', { name: 'customers.csv', mimeType: 'text/csv', buffer });
      await page.getByLabel('Type of balance').selectOption({ label: 'number' });
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByText('39 lines can be stored, 1 line cannot.').waitFor();
    },
  },
  {
    name: 'columns',
    fragment: '#/bases/users',
    async show(page) {
      await page.getByText('1,204 items').waitFor();
      await page.getByRole('button', { name: /columns$/i }).click();
      await page.getByRole('list', { name: 'Columns' }).getByText('balance').waitFor();
    },
  },
  {
    name: 'export-table',
    fragment: '#/bases/users',
    async show(page) {
      await page.getByText('1,204 items').waitFor();
      await chooseMore(page, 'Export as CSV');
      await page.getByRole('dialog', { name: 'Export 1,204 items as CSV' }).waitFor();
    },
  },
  {
    name: 'tree',
    fragment: '#/bases/users?item=user-000003',
    async show(page) {
      await page.getByRole('tab', { name: 'Tree' }).click();
      await page.getByRole('treeitem').filter({ hasText: 'home' }).click();
      await page.getByRole('treeitem').filter({ hasText: 'city' }).first().waitFor();
    },
  },
  {
    name: 'nothing',
    fragment: '#/bases/none-yet',
    show: (page) => page.getByRole('button', { name: 'Import a file' }).waitFor(),
  },
  {
    name: 'long-name',
    fragment: `#/bases/${longName}`,
    show: (page) => page.getByText('1,204 items').waitFor(),
  },
];

testScreens(console, states);

test('long names and values leave the panel beside the items its width', async () => {
  const page = await console.open(`#/bases/long?item=${'k'.repeat(150)}`);
  await page.getByRole('textbox', { name: 'n', exact: true }).waitFor();
  const others = (await scrolledSideways(page)).filter((html) => !html.includes('role="grid"'));
  assert.deepEqual(others, []);
});

// A window of 1280 × 1024 at 200 % and at 400 %.
for (const [zoom, viewport] of [
  ['200 %', { width: 640, height: 512 }],
  ['400 %', { width: 320, height: 256 }],
] as const) {
  for (const { name, fragment, show } of states) {
    test(`at ${zoom} no part of a base scrolls sideways: ${name}`, async () => {
      const page = await console.open(fragment, { viewport });
      await show(page);
      assert.deepEqual(await scrolledSideways(page), []);
    });
  }
}
