import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { drag } from './support/cells.js';
import { key, useConsole } from './support/console.js';
import { people, store } from './support/items.js';

const console = useConsole({
  async prepare(service) {
    for (const base of ['users', 'other']) await store(service, base, people(50));
  },
});

const columns = async (page: Page) =>
  (await page.locator('.column-head .clip').allTextContents()).slice(0, 5).join(' ');
const columnsAre = (page: Page, names: string) =>
  page.waitForFunction(
    (wanted) =>
      [...document.querySelectorAll('.column-head .clip')]
        .slice(0, wanted.split(' ').length)
        .map((head) => head.textContent)
        .join(' ') === wanted,
    names,
  );
const head = (page: Page, name: string) => page.locator('.column-head').filter({ hasText: name });

async function middleOf(page: Page, name: string) {
  const box = await head(page, name).boundingBox();
  assert.ok(box !== null);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, right: box.x + box.width };
}

test('a column is dragged to another place, without being sorted, and is there after a reload', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('50 items').waitFor();
  await becomes(() => columns(page), 'key name age active home');
  const to = await middleOf(page, 'active');
  await drag(page, await middleOf(page, 'name'), { x: to.right - 2, y: to.y });
  await columnsAre(page, 'key age active name home');
  await becomes(() => page.locator('[aria-sort]').count(), 0);
  await page.reload();
  await columnsAre(page, 'key age active name home');
  await head(page, 'age').click();
  await page.locator('[aria-sort=ascending]').waitFor();

  await page.goto(`${console.url}#/bases/other`);
  await columnsAre(page, 'key name age active home');
});

test('compact rows are chosen once for all tables, stay after a reload, and keep the row in view', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('50 items').waitFor();
  const top = (key: string) =>
    page.getByRole('row', { name: key }).evaluate((row) => row.getBoundingClientRect().top);
  const height = async () => (await top('user-000002')) - (await top('user-000001'));
  assert.equal(await height(), 32);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByLabel('Compact rows').check();
  await becomes(height, 28);
  await page.reload();
  await page.getByText('50 items').waitFor();
  await becomes(height, 28);
  await page.goto(`${console.url}#/bases/other`);
  await becomes(height, 28);
  await page.getByRole('grid').evaluate((grid) => grid.scrollTo(0, 20 * 28));
  await becomes(() => firstInView(page), 'user-000020');
  await page.keyboard.press('Control+k');
  await page.getByLabel('A name, a key, or something to do').fill('usual');
  await page.keyboard.press('Enter');
  await becomes(async () => (await top('user-000022')) - (await top('user-000021')), 32);
  assert.equal(await firstInView(page), 'user-000020');
});

const firstInView = (page: Page) =>
  page.getByRole('grid').evaluate((grid) => {
    const edge = (grid.querySelector('.grid-head')?.getBoundingClientRect().bottom ?? 0) - 1;
    const rows = [...grid.querySelectorAll('.grid-body .grid-row')];
    const tops = rows.map((row) => ({ row, top: row.getBoundingClientRect().top }));
    const first = tops.filter(({ top }) => top >= edge).sort((one, other) => one.top - other.top)[0];
    return first?.row.querySelector('.pinned')?.textContent;
  });

test('a drag that Escape ends, and one onto the key, leave the columns as they are', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('50 items').waitFor();
  const [from, to] = [await middleOf(page, 'home'), await middleOf(page, 'name')];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 4 });
  await page.locator('.drop-before').waitFor();
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await page.locator('.drop-before').waitFor({ state: 'detached' });
  await becomes(() => columns(page), 'key name age active home');

  const first = await middleOf(page, 'key');
  await drag(page, from, { x: first.x, y: first.y });
  await columnsAre(page, 'key home name age active');
});

test('a column is moved with the keyboard, and screen readers are told where it is', async () => {
  const page = await console.open('#/bases/users');
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Control+Shift+ArrowRight');
  await columnsAre(page, 'key age name active home');
  await page
    .getByRole('status')
    .filter({ hasText: /^name is column 3 of \d+$/ })
    .waitFor();
  await page.keyboard.press('Control+Shift+ArrowLeft');
  await page.keyboard.press('Control+Shift+ArrowLeft');
  await columnsAre(page, 'key name age active home');
});

test('columns are found by typing, hidden and moved, and the base remembers it for another tab', async () => {
  const page = await console.open('#/bases/users');
  await page.getByRole('button', { name: 'Columns' }).click();
  const dialog = page.getByRole('dialog', { name: 'Columns' });
  await dialog.getByLabel('Find a column').fill('A');
  await dialog.getByRole('checkbox', { name: 'active' }).click();
  await dialog.getByRole('button', { name: 'Move name down' }).click();
  await columnsAre(page, 'key age name home tags');
  const moved = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await becomes(() => moved(), 'Move name down', 'the focus goes with the button');
  await dialog.getByLabel('Find a column').fill('nothing has this');
  await dialog.getByText('No column has this in its name').waitFor();
  await dialog.getByLabel('Find a column').fill('tags');
  await becomes(() => dialog.getByRole('listitem').count(), 1);

  const other = await page.context().newPage();
  await other.addInitScript((value) => sessionStorage.setItem('basedrive-key', value), key);
  await other.goto(`${console.url}#/bases/users`);
  await columnsAre(other, 'key age name home tags');
  await page.keyboard.press('Escape');
  await becomes(() => dialog.getByLabel('Find a column').inputValue(), '', 'Escape first empties the field');
  await dialog.getByRole('button', { name: 'As at first' }).click();
  await columnsAre(page, 'key name age active home');
  await columnsAre(other, 'key name age active home');
});

test('what is kept of columns is forgotten with the key, and no key is in it', async () => {
  const page = await console.open('#/bases/users');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'active' }).click();
  await page.keyboard.press('Escape');
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }));
  assert.match(kept, /active/);
  assert.ok(!kept.includes(key));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Key').waitFor();
  await becomes(() => page.evaluate(() => localStorage.getItem('basedrive-columns')), null);
});

test('an attribute with any name can be hidden and moved', async () => {
  await store(console, 'odd', ['{"key":"a","__proto__":1,"toString":2,"b \\"c":3}']);
  const page = await console.open('#/bases/odd');
  await page.getByRole('button', { name: 'Columns' }).click();
  const dialog = page.getByRole('dialog', { name: 'Columns' });
  await dialog.getByRole('button', { name: 'Move b "c up' }).click();
  await dialog.getByRole('checkbox', { name: '__proto__' }).click();
  await columnsAre(page, 'key b "c toString');
});
