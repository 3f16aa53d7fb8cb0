import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { putFiles } from './support/files.js';
import { hold } from './support/hold.js';
import { people, store } from './support/items.js';

const console = useConsole({
  async prepare(service) {
    await store(service, 'users', people(300));
    await store(service, 'orders', ['{"key":"order-1","city":"Oslo"}', '{"key":"user-order","city":"Rome"}']);
    await putFiles(service, 'photos', ['2026/trip/harbour.png', 'notes.txt']);
  },
});

const field = (page: Page) => page.getByRole('combobox', { name: 'A name, a key, or something to do' });
const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name });

async function find(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await field(page).fill(text);
}

test('a base, an item by its key and a file by a part of its name are found from anywhere', async () => {
  const page = await console.open();
  await page.getByRole('heading', { level: 1 }).waitFor();
  await find(page, 'user');
  await option(page, 'users').first().waitFor();
  await option(page, /^user-order/).waitFor();
  await option(page, /^user-000000/).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'users', level: 1 }).waitFor();

  await find(page, 'order-1');
  await option(page, /^order-1/).click();
  await page.getByRole('complementary', { name: 'order-1' }).waitFor();
  await page.waitForURL(/#\/bases\/orders\?item=order-1/);

  await find(page, 'arbour');
  await option(page, /harbour\.png/).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/drives\/photos\?folder=2026%2Ftrip%2F&file=2026%2Ftrip%2Fharbour\.png/);
  await find(page, 'nothing has this');
  await page.getByText('Nothing fits this text.').waitFor();
});

test('what is typed before the list is loaded is kept', async () => {
  const page = await console.open();
  await page.getByRole('heading', { level: 1 }).waitFor();
  // The screen may still load scripts of its own.
  const scripts = await hold(page, '/options-*.js');
  await page.keyboard.press('Control+k');
  await becomes(() => field(page).evaluate((input) => input === document.activeElement), true);
  await page.keyboard.type('order');
  await scripts.isHeld;
  await page.keyboard.press('Enter');
  await page.keyboard.type('s');
  scripts.letGo();
  await option(page, /^orders/).waitFor();
  await becomes(() => field(page).inputValue(), 'orders');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'orders', level: 1 }).waitFor();
});

test('what can be done on the page is done from the palette, with the keyboard alone', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('300 items').waitFor();
  await find(page, 'colu');
  await option(page, 'Columns…').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Columns' }).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await find(page, 'shortcuts');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await find(page, 'new base');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New base' }).waitFor();
  await page.keyboard.press('Escape');
  await page.goto(`${console.url}#/`);
  await find(page, 'columns');
  await page.getByText('Nothing fits this text.').waitFor();
});

test('an arrow key and Enter choose what came late, and a key that may only read is offered no change', async () => {
  const made = await console.call('POST', '/keys', '{"name":"reader","access":"read","bases":["users"]}');
  const { key: reader } = (await made.json()) as { key: string };
  const page = await console.open('#/bases/users', {
    before: (opened) =>
      opened.addInitScript((value) => sessionStorage.setItem('basedrive-key', value), reader),
  });
  await page.getByText('read-only').first().waitFor();
  await find(page, 'item');
  await option(page, 'Reload the items').waitFor();
  await becomes(() => option(page, 'Add an item').count(), 0);
  await field(page).fill('user-00001');
  await option(page, /^user-000010/).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'user-000011' }).waitFor();
});

test('a filter is saved under a name, found from anywhere, and forgotten', async () => {
  const query = encodeURIComponent('[{"age?gte":70}]');
  const page = await console.open(`#/bases/users?query=${query}&order=-age`);
  await page.getByText('50 matches').waitFor();
  await page.getByRole('button', { name: 'Filters' }).click();
  const dialog = page.getByRole('dialog', { name: 'Filters' });
  await dialog.getByLabel('Name of the present filter').fill('the eldest');
  await page.keyboard.press('Enter');
  await dialog.getByRole('list', { name: 'Saved filters' }).getByText('age ≥ 70 by age, downwards').waitFor();
  await page.goto(`${console.url}#/`);
  await find(page, 'eldest');
  await option(page, /the eldest/).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('50 matches').waitFor();
  await page.locator('[aria-sort=descending]').waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'Filters' }).click();
  await dialog.getByRole('button', { name: 'Forget the eldest' }).click();
  await becomes(() => dialog.getByText('the eldest').count(), 0);
});

test('what was asked last is kept, latest first, and forgotten on demand and by signing out', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('300 items').waitFor();
  for (const condition of ['age >= 70', 'active = true']) {
    await page.getByLabel('Add a condition').fill(condition);
    await page.keyboard.press('Enter');
    await page
      .getByText(/^\d+ match/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Remove all conditions' }).click();
    await page.getByText('300 items').waitFor();
  }
  await page.getByRole('button', { name: 'Filters' }).click();
  const dialog = page.getByRole('dialog', { name: 'Filters' });
  const recent = dialog.getByRole('list', { name: 'Last asked' }).getByRole('listitem');
  await recent.nth(1).waitFor();
  await becomes(() => recent.allTextContents(), ['active = true', 'age ≥ 70']);
  await recent.nth(1).getByRole('button').click();
  await page.getByText('50 matches').waitFor();

  await page.getByRole('button', { name: 'Filters' }).click();
  await dialog.getByRole('button', { name: 'Forget what was asked' }).click();
  await becomes(() => recent.count(), 0);
  await page.keyboard.press('Escape');
  await page.getByLabel('Add a condition').fill('name ~ ada');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => localStorage.getItem('basedrive-filters')?.includes('ada'));
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Key').waitFor();
  await becomes(() => page.evaluate(() => localStorage.getItem('basedrive-filters')), null);
});
