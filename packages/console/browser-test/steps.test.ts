import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { typeJson } from './support/editing.js';
import { people, person, store, stored } from './support/items.js';

const console = useConsole({
  prepare: (service) => store(service, 'users', people(300)),
});

const panel = (page: Page) => page.getByRole('complementary');

test('Back closes an item and takes back a query, and a closed item leaves no step behind', async () => {
  const page = await console.open();
  await page.getByRole('link', { name: 'users' }).first().click();
  await page.getByText('300 items', { exact: true }).waitFor();
  await becomes(() => page.title(), 'users · demo · Basedrive');
  await page.getByLabel('Add a condition').fill('age >= 50');
  await page.keyboard.press('Enter');
  await page.getByText('150 matches').waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Control+Enter');
  await panel(page).waitFor();
  await page.goBack();
  await panel(page).waitFor({ state: 'detached' });
  await page.getByText('150 matches').waitFor();

  await page.getByRole('grid').focus();
  await page.keyboard.press('Control+Enter');
  await panel(page).waitFor();
  // Both Escapes before the browser has gone back: only the first one is a step.
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'detached' });
  await page.waitForURL((url) => !url.hash.includes('item='));
  await page.getByText('150 matches').waitFor();
  await page.goBack();
  await page.getByText('300 items', { exact: true }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'demo' }).waitFor();
  await becomes(() => page.title(), 'Overview · demo · Basedrive');
});

test('a link to a view shows the same view', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('300 items', { exact: true }).waitFor();
  await page.getByLabel('Add a condition').fill('name ~ ada and age < 50');
  await page.keyboard.press('Enter');
  await page.getByText('25 matches').waitFor();
  await page.getByRole('columnheader', { name: 'age' }).click();
  await page.waitForURL(/order=age/);
  await page.locator('.cell.pinned').getByText('user-000000').dblclick();
  await panel(page).waitFor();
  const other = await console.open(new URL(page.url()).hash);
  await other.getByText('25 matches').waitFor();
  await other
    .getByRole('columnheader', { name: 'age', exact: false })
    .and(other.locator('[aria-sort=ascending]'))
    .waitFor();
  await other.getByRole('complementary', { name: 'user-000000' }).waitFor();
});

test('Escape closes a menu and gives the focus back to its button', async () => {
  const page = await console.open('#/bases/users');
  const more = page.getByRole('button', { name: 'More', exact: true });
  await more.focus();
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.activeElement?.role === 'menuitem');
  await page.keyboard.press('End');
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'hidden' });
  await becomes(() => more.evaluate((button) => button === document.activeElement), true);
  await becomes(() => page.locator('[role=menuitem]').count(), 0);
});

test('Escape closes what is on top: a menu before its panel, and typed text before the panel', async () => {
  const page = await console.open('#/bases/users?item=user-000002');
  const age = panel(page).getByRole('textbox', { name: 'age' });
  await age.waitFor();
  await page.getByRole('button', { name: 'Item actions' }).click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor({ state: 'detached' });
  await becomes(() => age.count(), 1);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('dialog', { name: 'Columns' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Columns' }).waitFor({ state: 'detached' });
  await becomes(() => age.count(), 1);

  await age.fill('99');
  await page.keyboard.press('Escape');
  await becomes(() => age.inputValue(), '22');
  await page.keyboard.press('Escape');
  await age.waitFor({ state: 'detached' });
  await becomes(() => page.getByText('1 change').count(), 0);
});

/** Reloads, and tells the browser that what is not saved may be left. Gives whether it asked. */
async function reload(page: Page): Promise<boolean> {
  let asked = false;
  page.removeAllListeners('dialog');
  page.on('dialog', (dialog) => {
    asked = dialog.type() === 'beforeunload';
    void dialog.accept();
  });
  await page.reload();
  return asked;
}

test('a reload asks first, and keeps staged changes and texts that are not saved, until somebody signs out', async () => {
  const page = await console.open('#/bases/users?item=user-000003');
  await panel(page).getByRole('textbox', { name: 'age' }).fill('23.0');
  await panel(page).getByRole('button', { name: 'Remove balance' }).click();
  await page.getByText('2 changes').waitFor();
  await page.getByRole('tab', { name: 'JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'JSON of user-000003' });
  await typeJson(page, 'user-000003', '{"key":"user-000003","mine":1.50');
  await panel(page).locator('.problem').waitFor();

  assert.equal(await reload(page), true);
  await editor.getByText('1.50').waitFor();
  const changed = person(3).replace('"age":23', '"age":23.0').replace(',"balance":3.50', '');
  await typeJson(page, 'user-000003', changed);
  await page.getByText('2 changes').waitFor();
  await panel(page).getByRole('button', { name: 'Close' }).click();
  await page.keyboard.press('Control+s');
  await page.getByText('Saved 1 item').waitFor();
  assert.equal(await stored(console, 'users', 'user-000003'), changed);

  await page.locator('.cell.pinned').getByText('user-000004').dblclick();
  await panel(page).getByRole('textbox', { name: 'age' }).fill('1');
  await page.keyboard.press('Tab');
  await page.getByText('1 change').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Key').waitFor();
  // The page of a test signs in by itself when it is loaded.
  await reload(page);
  await page.getByRole('grid').waitFor();
  await becomes(() => page.getByText('1 change').count(), 0);
});

test('a dialog stays open when a text is selected beyond its edge, and closes at a click beside it', async () => {
  const page = await console.open();
  await page.getByRole('button', { name: 'New base' }).first().click();
  const name = page.getByRole('dialog').getByLabel('Name');
  await name.fill('a name that is selected');
  const box = await name.boundingBox();
  assert.ok(box !== null);
  await page.mouse.move(box.x + 80, box.y + 8);
  await page.mouse.down();
  await page.mouse.move(40, box.y + 8, { steps: 4 });
  await page.mouse.up();
  await becomes(() => name.inputValue(), 'a name that is selected');
  await page.mouse.click(40, box.y + 8);
  await name.waitFor({ state: 'detached' });
});
