import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible } from './support/axe.js';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { people, store } from './support/items.js';

const nested = `{"key":"a","price":0.1000,"home":{"city":"Oslo","geo":{"lat":59.90,"10":1,"2":2}},"list":[${Array.from({ length: 250 }, (_, n) => n).join()}],"empty":[]}`;

const console = useConsole({
  async prepare(service) {
    await store(service, 'users', people(1500));
    await store(service, 'nested', [nested]);
  },
});

const panel = (page: Page, key: string) => page.getByRole('complementary', { name: key });

test('the next and the previous item are opened, and the list follows', async () => {
  const page = await console.open('#/bases/users');
  await page.locator('.open-item').first().dispatchEvent('click');
  await panel(page, 'user-000000').waitFor();
  const previous = page.getByRole('button', { name: 'Previous item' });
  await becomes(() => previous.isDisabled(), true);
  await page.getByRole('button', { name: 'Next item' }).click();
  await panel(page, 'user-000001').waitFor();
  for (let n = 2; n <= 40; n++) {
    await page.keyboard.press('Alt+ArrowDown');
    await panel(page, `user-${String(n).padStart(6, '0')}`).waitFor();
  }
  const row = page.getByRole('row', { name: 'Select user-000040' });
  await becomes(() => row.getAttribute('aria-current'), 'true');
  const [box, grid] = [await row.boundingBox(), await page.getByRole('grid').boundingBox()];
  assert.ok(box !== null && grid !== null && box.y >= grid.y && box.y + box.height <= grid.y + grid.height);
  await page.keyboard.press('Alt+ArrowUp');
  await panel(page, 'user-000039').waitFor();
  await page.goBack();
  await panel(page, 'user-000039').waitFor({ state: 'detached' });
});

test('what is typed stays staged when the next item is opened', async () => {
  const page = await console.open('#/bases/users?item=user-000000');
  await page.getByRole('textbox', { name: 'age', exact: true }).fill('99');
  await page.keyboard.press('Alt+ArrowDown');
  await panel(page, 'user-000001').waitFor();
  await page.getByText('1 change').first().waitFor();
  await page.keyboard.press('Alt+ArrowUp');
  await panel(page, 'user-000000').waitFor();
  await becomes(() => page.getByRole('textbox', { name: 'age', exact: true }).inputValue(), '99');
});

test('the panel is widened by dragging and by keys, and the device remembers it', async () => {
  const page = await console.open('#/bases/users?item=user-000003');
  const width = async () => Math.round((await panel(page, 'user-000003').boundingBox())?.width ?? 0);
  const handle = page.getByRole('separator', { name: 'Width of the panel' });
  await handle.waitFor();
  await becomes(() => width(), 400);
  const box = await handle.boundingBox();
  assert.ok(box !== null);
  await page.mouse.move(box.x + 4, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x - 96, box.y + 100, { steps: 4 });
  await page.mouse.up();
  await becomes(() => width(), 500);
  await handle.focus();
  await page.keyboard.press('ArrowLeft');
  await becomes(() => width(), 532);
  await becomes(() => handle.getAttribute('aria-valuenow'), '532');
  await page.reload();
  await handle.waitFor();
  await becomes(() => width(), 532);
  await handle.focus();
  await page.keyboard.press('Home');
  await becomes(() => width(), 400);
});

test('an item is read as a tree with the keyboard, every digit and name in its place', async () => {
  const page = await console.open('#/bases/nested?item=a', {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await page.getByRole('tab', { name: 'Tree' }).click();
  const tree = page.getByRole('tree', { name: 'Tree of a' });
  const names = () => tree.locator('.tree-name').allTextContents();
  await becomes(() => names(), ['key', 'price', 'home', 'list', 'empty']);
  await tree.getByText('0.1000').waitFor();
  await tree.focus();
  for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowRight'])
    await page.keyboard.press(key);
  await becomes(() => names(), ['key', 'price', 'home', 'city', 'geo', 'lat', '10', '2', 'list', 'empty']);
  await page.keyboard.press('ArrowRight');
  await page.getByText('home.geo.lat').waitFor();
  await page.getByRole('button', { name: 'Copy the path' }).click();
  await becomes(() => page.evaluate(() => navigator.clipboard.readText()), 'home.geo.lat');
  await tree.focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await becomes(() => names(), ['key', 'price', 'home', 'city', 'geo', 'list', 'empty']);
  await assertAccessible(page, 'the tree');
});

test('a long list opens in parts', async () => {
  const page = await console.open('#/bases/nested?item=a');
  await page.getByRole('tab', { name: 'Tree' }).click();
  const tree = page.getByRole('tree');
  await tree.getByText('list', { exact: true }).click();
  await becomes(() => tree.getByRole('treeitem').count(), 5 + 100 + 1);
  await tree.getByText('150 more').click();
  await tree.getByText('50 more').click();
  await becomes(() => tree.getByRole('treeitem').count(), 5 + 250);
});

test('the type of each value has a name of its own', async () => {
  const page = await console.open('#/bases/nested?item=a');
  await page.getByRole('combobox', { name: 'Type of price', exact: true }).waitFor();
  await page.getByRole('combobox', { name: 'Type of list', exact: true }).waitFor();
});
