import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { editCell, save } from './support/editing.js';
import { hold } from './support/hold.js';
import { people, store } from './support/items.js';

// Messages: what they undo, where they stand, and when they end.

const console = useConsole({
  async prepare(service) {
    await store(service, 'users', people(60));
    await store(service, 'others', people(3));
  },
});

const messages = (page: Page) => page.locator('.toasts > *');

async function saveOne(page: Page, age: string): Promise<void> {
  await editCell(page, 'age', age);
  await save(page);
  await page.getByText('Saved 1 item').last().waitFor();
}

/** The parts of the page of which a message covers something. */
const covered = (page: Page) =>
  page.evaluate(() => {
    const [message] = document.querySelectorAll('.toasts > *');
    const box = message?.getBoundingClientRect();
    if (box === undefined) throw new Error('there is no message');
    const parts = [...document.querySelectorAll('.grid, .screen-foot, .staged-bar, .sidebar, .top-bar')];
    const isOver = (one: DOMRect) =>
      one.left < box.right && one.right > box.left && one.top < box.bottom && one.bottom > box.top;
    return parts.filter((part) => isOver(part.getBoundingClientRect())).map((part) => part.className);
  });

test('a message covers nothing, and its button says what it undoes', async () => {
  const page = await console.open('#/bases/users');
  await page.getByRole('grid').waitFor();
  await saveOne(page, '91');
  await page.getByRole('button', { name: 'Undo save' }).waitFor();
  await becomes(() => covered(page), []);
  await page.getByRole('checkbox', { name: 'Select user-000059' }).waitFor({ state: 'detached' });
  await page.getByRole('checkbox', { name: 'Select user-000007' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Undo deletion' }).waitFor();
});

test('on a phone a message covers nothing either', async () => {
  const page = await console.open('#/bases/users?item=user-000001', {
    viewport: { width: 375, height: 700 },
  });
  await page.getByRole('dialog').getByRole('button', { name: 'Item actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 1 item').waitFor();
  await becomes(() => covered(page), []);
});

test('messages end with their screen, and one that comes later says of which base it is', async () => {
  const page = await console.open('#/bases/users');
  await page.getByRole('grid').waitFor();
  await saveOne(page, '92');
  const { isHeld, letGo } = await hold(page, '/transactions');
  await editCell(page, 'age', '93');
  await save(page);
  await isHeld;
  await becomes(() => messages(page).count(), 1);
  await page.getByRole('link', { name: 'others' }).click();
  await page.getByText('3 items').waitFor();
  await becomes(() => messages(page).count(), 0);
  letGo();
  await page.getByText('users: Saved 1 item').waitFor();
  await page.getByRole('button', { name: 'Undo save' }).click();
  await page.getByText('users: Undid the changes of 1 item').waitFor();
});
