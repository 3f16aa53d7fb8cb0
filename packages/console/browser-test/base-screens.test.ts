import { dragCells } from './support/cells.js';
import { useConsole } from './support/console.js';
import { chooseMore } from './support/editing.js';
import { people, store } from './support/items.js';
import { testScreens } from './support/screens.js';

const console = useConsole({
  async prepare(service) {
    await store(service, 'users', people(1204));
    const orders = Array.from({ length: 300 }, (_, n) => `{"key":"order-${n}","total":${n}.99}`);
    await store(service, 'orders', orders);
    await service.call('POST', '/photos/files?name=cat.png', 'not really a cat');
    await service.call('PUT', '/users/indexes/by-age', '{"fields":["age"]}');
    await service.call('PUT', '/users/indexes/by-city', '{"fields":["home.city","age"]}');
  },
});

const query = '[{"age?gte":36,"tags?contains":"math","active":true}]';

testScreens(console, [
  {
    name: 'browse',
    fragment: '#/bases/users',
    show: (page) => page.getByText('1,204 items').waitFor(),
  },
  {
    name: 'range',
    fragment: '#/bases/users',
    async show(page) {
      await page.getByText('1,204 items').waitFor();
      // Cards have no cells.
      if ((await page.locator('.cards').count()) > 0) return;
      await dragCells(page, [3, 2], [6, 3]);
      await page.keyboard.press('Control+d');
      await dragCells(page, [3, 3], [9, 4]);
      await page.getByText('7 rows × 2 columns').waitFor();
    },
  },
  {
    name: 'query',
    fragment: `#/bases/users?order=-age&query=${encodeURIComponent(query)}`,
    async show(page) {
      await page.getByText(/^\d+ matches$/).waitFor();
      await page.getByRole('gridcell').nth(3).waitFor();
      await page.getByLabel('Add a condition').fill('name ');
      await page.getByRole('option', { name: 'is equal', exact: false }).first().waitFor();
    },
  },
  {
    name: 'item',
    fragment: '#/bases/users?item=user-000003',
    async show(page) {
      await page.getByRole('textbox', { name: 'age', exact: true }).fill('42');
      await page.getByRole('textbox', { name: 'name', exact: true }).fill('E. W. Dijkstra');
      await page.keyboard.press('Tab');
      await page.getByText('2 changes').first().waitFor();
    },
  },
  {
    name: 'json',
    fragment: '#/bases/users?item=user-000003',
    async show(page) {
      await page.getByRole('tab', { name: 'JSON' }).click();
      await page.getByRole('textbox', { name: 'JSON of user-000003' }).waitFor();
    },
  },
  {
    name: 'review',
    fragment: '#/bases/users?item=user-000003',
    async show(page) {
      await page.getByRole('textbox', { name: 'age', exact: true }).fill('42');
      await page.keyboard.press('Tab');
      await page.getByRole('button', { name: 'Review' }).last().click();
      await page.getByRole('dialog', { name: 'Staged changes' }).waitFor();
    },
  },
  {
    name: 'palette',
    fragment: '#/bases/users',
    async show(page) {
      await page.getByText('1,204 items').waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'A name, a key' }).fill('or');
      await page.getByRole('option', { name: /^order-0/ }).waitFor();
    },
  },
  {
    name: 'indexes',
    fragment: '#/bases/users',
    async show(page) {
      await page.getByText('1,204 items').waitFor();
      await chooseMore(page, 'Indexes');
      const dialog = page.getByRole('dialog', { name: 'Indexes' });
      await dialog.getByText('Ready').nth(1).waitFor();
    },
  },
  {
    name: 'filters',
    fragment: `#/bases/users?order=-age&query=${encodeURIComponent(query)}`,
    async show(page) {
      await page.getByRole('button', { name: 'Filters' }).click();
      await page.getByLabel('Name of the present filter').fill('active mathematicians');
      await page.keyboard.press('Enter');
      await page.getByRole('list', { name: 'Saved filters' }).getByText('active mathematicians').waitFor();
    },
  },
  {
    name: 'empty',
    fragment: '#/bases/new',
    show: (page) => page.getByText('No items yet').waitFor(),
  },
  {
    name: 'shortcuts',
    fragment: '#/bases/users',
    async show(page) {
      await page.getByRole('grid').waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  },
]);
