import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { people, store } from './support/items.js';

const console = useConsole({
  async prepare(service) {
    await store(service, 'users', people(700));
    await store(service, 'odd', [
      '{"key":"00","zebra":true,"rare":1,"n":1,"name":""}',
      ...Array.from(
        { length: 20 },
        (_, n) => `{"key":"k${n}","name":"N${n}","n":${n}${n % 4 === 0 ? ',"rare":2' : ''}}`,
      ),
      `{"key":"${'long-'.repeat(30)}","name":"last","n":3}`,
    ]);
    for (const name of ['a.txt', 'b.txt'])
      await fetch(`${service.url}v1/demo/photos/files?name=${name}`, {
        method: 'POST',
        headers: { 'X-API-Key': 'demo_s3cret' },
        body: name,
      });
  },
});

const row = (page: Page, key: string) => page.getByRole('row', { name: `Select ${key}` });
const heads = async (page: Page) =>
  (await page.locator('.grid-head .column-head .clip').allTextContents()).map((text) => text.trim());

test('usual attributes come first; those that no item has are gone with another query; a new one is seen', async () => {
  const page = await console.open('#/bases/odd');
  await page.getByText('22 items').waitFor();
  await becomes(() => heads(page), ['key', 'n', 'name', 'rare', 'zebra']);
  await page.getByLabel('Add a condition').fill('name = N1');
  await page.keyboard.press('Enter');
  await page.getByText('1 match', { exact: true }).waitFor();
  await becomes(() => heads(page), ['key', 'name', 'n']);

  await page.getByRole('checkbox', { name: 'Select k1' }).click();
  await page.getByRole('button', { name: 'Update' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Attribute', { exact: true }).fill('city');
  await dialog.getByLabel('Value', { exact: true }).fill('Rome');
  await dialog.getByRole('button', { name: 'Update 1 item' }).click();
  await page.getByRole('columnheader', { name: 'city' }).waitFor();
  await becomes(() => heads(page), ['key', 'name', 'n', 'city']);
});

test('numbers end in line, an empty text is not nothing, and a long key leaves room', async () => {
  const page = await console.open('#/bases/odd', { viewport: { width: 700, height: 600 } });
  await page.getByText('22 items').waitFor();
  const number = row(page, 'k3').locator('[aria-colindex="3"]');
  await becomes(() => number.evaluate((cell) => getComputedStyle(cell).textAlign), 'right');
  const empty = row(page, '00').locator('[aria-colindex="4"]');
  await becomes(() => empty.textContent(), '""');
  const key = await page.locator('.grid-head [aria-colindex="2"]').boundingBox();
  assert.ok((key?.width ?? 999) <= 160, String(key?.width));
});

test('the row that is open is marked, and no other looks open', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('700 items').waitFor();
  const signs = () => page.locator('.open-item:visible').count();
  await page.mouse.move(5, 5);
  await becomes(() => signs(), 0);
  await row(page, 'user-000004').locator('[aria-colindex="2"]').dblclick();
  await page.getByRole('complementary', { name: 'user-000004' }).waitFor();
  const open = page.locator('[role=row][aria-current=true]');
  await becomes(() => open.count(), 1);
  await open.getByText('user-000004').waitFor();

  await page.goto(`${console.url}#/drives/photos`);
  await page.getByText('b.txt').click();
  await page.getByRole('complementary').waitFor();
  await open.getByText('b.txt').first().waitFor();
  await page.goBack();
  await page.getByRole('complementary').waitFor({ state: 'detached' });
  await page.getByText('b.txt').waitFor();
  await becomes(() => open.count(), 0);
});

test('the box of all rows says that some are selected, and a second click selects none', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('700 items').waitFor();
  const all = page.getByRole('checkbox', { name: 'Select all rows that are loaded' });
  const isMixed = () => all.evaluate((box) => (box as HTMLInputElement).indeterminate);
  await page.getByRole('checkbox', { name: 'Select user-000001' }).click();
  await page.getByText('1 selected').waitFor();
  await becomes(() => isMixed(), true);
  await page.getByRole('checkbox', { name: 'Select user-000001' }).click();
  await becomes(() => isMixed(), false);
  await all.click();
  await page.getByText(/^\d+ selected$/).waitFor();
  // More rows are loaded in the meantime.
  await page.getByRole('grid').hover();
  await page.mouse.wheel(0, 20_000);
  await page.getByText('700 loaded').waitFor();
  await all.click();
  await page.getByText(/^\d+ selected$/).waitFor({ state: 'detached' });
  await becomes(() => isMixed(), false);
});

test('the order is a step of the history', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('700 items').waitFor();
  await page.getByRole('columnheader', { name: 'age' }).getByRole('button').click();
  await page.waitForURL(/order=age/);
  await page.goBack();
  await page.waitForURL((url) => !url.hash.includes('order='));
  await row(page, 'user-000000').waitFor();
});

test('a base with changes that are not saved is marked in the sidebar', async () => {
  const page = await console.open('#/bases/users?item=user-000003');
  const panel = page.getByRole('complementary', { name: 'user-000003' });
  await panel.getByRole('textbox', { name: 'age' }).fill('99');
  await page.keyboard.press('Tab');
  const link = page.getByRole('navigation').getByRole('link', { name: /users\s*\(not saved\)/ });
  await link.waitFor();
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByRole('heading', { name: 'demo' }).waitFor();
  await link.click();
  await page.getByRole('button', { name: 'Discard' }).click();
  await link.waitFor({ state: 'detached' });
});
