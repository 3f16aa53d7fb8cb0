import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { save } from './support/editing.js';
import { hold } from './support/hold.js';
import { people, store, stored } from './support/items.js';

const console = useConsole({
  async prepare(service) {
    await store(service, 'users', people(300));
    await store(service, 'typed', ['{"key":"a","n":1,"text":"old"}', '{"key":"b","n":2}']);
  },
});

test('until the rows of another order are read, the old ones are dimmed and the heads name theirs', async () => {
  const page = await console.open('#/bases/users');
  const grid = page.getByRole('grid');
  await page.getByText('300 items').waitFor();
  const { isHeld, letGo } = await hold(page, '/query');
  const head = page.getByRole('columnheader', { name: /^name/ });
  await head.getByRole('button').click();
  await isHeld;
  await page.getByRole('status').getByText('Sorting by name').waitFor();
  await page.getByRole('progressbar', { name: 'Sorting by name' }).waitFor();
  await becomes(() => grid.getAttribute('aria-busy'), 'true');
  await becomes(() => head.getAttribute('aria-sort'), null);
  const opacity = () =>
    page.locator('.grid-body').evaluate((element) => Number(getComputedStyle(element).opacity));
  await page.waitForFunction(() => {
    const body = document.querySelector('.grid-body');
    return body !== null && Number(getComputedStyle(body).opacity) < 0.5;
  });

  letGo();
  await page.locator('[role=columnheader][aria-sort=ascending]').waitFor();
  await becomes(() => grid.getAttribute('aria-busy'), 'false');
  await page.getByText('Sorting by name').waitFor({ state: 'detached' });
  await page.waitForFunction(() => {
    const body = document.querySelector('.grid-body');
    return body !== null && getComputedStyle(body).opacity === '1';
  });
  await becomes(() => opacity(), 1);
});

test('what takes long can be cancelled: the rows, their order and the address are as before', async () => {
  const page = await console.open('#/bases/users?order=age');
  await page.locator('[role=columnheader][aria-sort=ascending]').waitFor();
  await page.getByText('300 items').waitFor();
  const { isHeld, letGo } = await hold(page, '/query');
  await page.getByRole('columnheader', { name: /^name/ }).getByRole('button').click();
  await isHeld;
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('Sorting by name').waitFor({ state: 'detached' });
  letGo();
  assert.ok(page.url().endsWith('order=age'));
  await becomes(() => page.getByRole('grid').getAttribute('aria-busy'), 'false');
  const age = page.getByRole('columnheader', { name: 'age' });
  await becomes(() => age.getAttribute('aria-sort'), 'ascending');
});

test('typing on a cell edits it, whatever the letter', async () => {
  const page = await console.open('#/bases/typed');
  await page.getByRole('gridcell', { name: 'old' }).click();
  await page.keyboard.type('new g');
  await page.locator('.cell-editor textarea').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('1 change', { exact: true }).waitFor();
  await becomes(() => page.getByRole('dialog').count(), 0);
  await becomes(() => page.getByRole('complementary').count(), 0);
  await save(page);
  await page.getByText('Saved 1 item').waitFor();
  assert.equal(await stored(console, 'typed', 'a'), '{"key":"a","n":1,"text":"new g"}');

  await page.getByRole('gridcell', { name: '2', exact: true }).click();
  await page.keyboard.type('30');
  await page.keyboard.press('Enter');
  await save(page);
  await page.getByText('1 change', { exact: true }).waitFor({ state: 'detached' });
  assert.equal(await stored(console, 'typed', 'b'), '{"key":"b","n":30}');
});
