import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { key, useConsole } from './support/console.js';
import { people, store } from './support/items.js';

// What a browser does not give a page: its storage, and the clipboard.

const console = useConsole({ prepare: (service) => store(service, 'users', people(3)) });

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByText('3 items').first().waitFor();
}

test('a browser that keeps nothing for the page has the whole page until it is closed', async () => {
  const refuseStorage = (page: Page) =>
    page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, {
          get: () => {
            throw new DOMException('denied', 'SecurityError');
          },
        });
    });
  const page = await console.open('#/bases/users', { isSignedIn: false, before: refuseStorage });
  await signIn(page);
  await page.getByRole('gridcell', { name: 'user-000001', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Key').waitFor();
});

test('a browser whose storage is full shows the page', async () => {
  const fillStorage = (page: Page) =>
    page.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
  const page = await console.open('#/bases/users', { isSignedIn: false, before: fillStorage });
  await signIn(page);
});

test('over plain HTTP from another machine, a text is copied from a dialog, too, and the focus stays', async () => {
  const noteCopies = (page: Page) =>
    page.addInitScript(() => {
      document.addEventListener('copy', ({ target }) => {
        if (target instanceof HTMLTextAreaElement) document.documentElement.dataset.copied = target.value;
      });
    });
  const address = console.url.replace('127.0.0.1', 'console.test');
  const page = await console.open('#/keys', { before: noteCopies, address });
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'The new key' });
  const made = await dialog.locator('code').first().textContent();
  await dialog.getByRole('button', { name: /^Copy/ }).first().click();
  await dialog.getByRole('button', { name: 'Copied' }).waitFor();
  assert.equal(await page.locator('html').getAttribute('data-copied'), made);
  await becomes(() => page.evaluate(() => document.activeElement?.tagName), 'BUTTON');
});

test('a browser that lets the page copy nothing is not said to have done it', async () => {
  const refuseCopies = (page: Page) =>
    page.addInitScript(() => {
      navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'));
    });
  const page = await console.open('#/bases/users?item=user-000001', { before: refuseCopies });
  await page.getByRole('button', { name: 'Copy the key' }).click();
  await page.getByRole('button', { name: /^The browser does not let the page copy/ }).waitFor();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Copy the name' }).click();
  await page
    .getByRole('status')
    .getByText(/^The browser does not let the page copy/)
    .waitFor();
});
