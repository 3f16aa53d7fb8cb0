import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.js';
import { key, useConsole } from './support/console.js';
import { editCell, save } from './support/editing.js';
import { putFiles } from './support/files.js';
import { hold } from './support/hold.js';
import { store, stored } from './support/items.js';

const otherKey = 'other_s3cret';
const console = useConsole({ settings: ['--key', otherKey] });

test('a wrong key is refused with a message, a right one opens the project, and signing out forgets it', async () => {
  const page = await console.open('', { isSignedIn: false });
  await page.getByLabel('Key').waitFor();
  await becomes(() => page.title(), 'Basedrive');
  // The field has the focus.
  await page.keyboard.type('demo_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('This key is not valid.').waitFor();
  await becomes(() => page.evaluate(() => sessionStorage.length), 0);

  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'demo' }).waitFor();
  const places = await page.evaluate(() => ({
    session: Object.values(sessionStorage),
    local: Object.values(localStorage).join(),
    cookie: document.cookie,
    address: location.href,
  }));
  assert.deepEqual(places.session, [key]);
  assert.ok(!`${places.local}${places.cookie}${places.address}`.includes('s3cret'));

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Key').waitFor();
  await becomes(() => page.evaluate(() => sessionStorage.length), 0);
});

test('what is staged when a key ends is there again with another key of the project', async () => {
  await store(console, 'notes', ['{"key":"a","n":1}']);
  const made = await console.call('POST', '/keys', '{"name":"for a test"}');
  const { id, key: first } = (await made.json()) as { id: string; key: string };
  const page = await console.open('#/bases/notes', { isSignedIn: false });
  const signIn = async (next: string) => {
    await page.getByLabel('Key').fill(next);
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'Select a', exact: true }).waitFor();
  };
  await signIn(first);
  await editCell(page, 'n', '2');
  await page.getByText('1 change', { exact: true }).waitFor();
  await console.call('DELETE', `/keys?id=${encodeURIComponent(id)}`);
  await save(page);
  await page.getByText('The key is not valid any more.').waitFor();

  await signIn(key);
  await page.getByText('1 change', { exact: true }).waitFor();
  await save(page);
  await page.getByText('Saved 1 item').waitFor();
  assert.equal(await stored(console, 'notes', 'a'), '{"key":"a","n":2}');

  // Whoever signs out leaves nothing behind.
  await editCell(page, 'n', '3');
  await page.getByText('1 change', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(key);
  assert.equal(await page.getByText('1 change', { exact: true }).count(), 0);
});

test('what is under way with a key is not continued with the next one', async () => {
  const names = Array.from({ length: 1500 }, (_, n) => `old/${String(n).padStart(4, '0')}`);
  await putFiles(console, 'photos', names);
  const other = (method: string, query: string, body?: string) =>
    fetch(`${console.url}v1/other/photos/files?${query}`, {
      method,
      headers: { 'X-API-Key': otherKey },
      ...(body === undefined ? {} : { body }),
    });
  // The last of the names: the next request of the deletion would have it.
  await other('POST', 'name=old/1499', 'of the other project');

  const page = await console.open('#/drives/photos');
  const { isHeld, letGo } = await hold(page, '/files');
  await page.getByRole('checkbox', { name: 'Select old/', exact: true }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByLabel('Type delete to continue').fill('delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await isHeld;
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Key').fill(otherKey);
  await page.keyboard.press('Enter');
  await page.getByRole('gridcell', { name: 'old/', exact: true }).waitFor();
  const answered = page.waitForResponse((response) => response.request().method() === 'DELETE');
  letGo();
  await answered;
  await page.getByRole('region', { name: 'Work in progress' }).waitFor({ state: 'hidden' });
  assert.deepEqual(await (await other('GET', '')).json(), { names: ['old/1499'] });
  const left = (await (await console.call('GET', '/photos/files')).json()) as { names: string[] };
  assert.equal(left.names.length, 500);
});

test('a question ends with the session', async () => {
  await putFiles(console, 'questions', ['a/b']);
  const page = await console.open('#/drives/questions');
  await page.getByRole('checkbox', { name: 'Select a/', exact: true }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').waitFor();
  // The dialog covers the button; a key that is refused ends the session as well.
  await page.locator('[aria-label="Sign out"]').dispatchEvent('click');
  await page.getByLabel('Key').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached', timeout: 5000 });
});

test('a key that is kept on this device opens other tabs, until one of them signs out', async () => {
  const page = await console.open('', { isSignedIn: false });
  const box = page.getByRole('checkbox', { name: 'Stay signed in on this device' });
  await becomes(() => box.isChecked(), false);
  await box.check();
  await page.getByText('Anyone who uses the browser').waitFor();
  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'demo' }).waitFor();

  const other = await page.context().newPage();
  await other.goto(console.url);
  await other.getByRole('heading', { name: 'demo' }).waitFor();
  await other.getByRole('button', { name: 'Sign out' }).click();
  await other.getByLabel('Key').waitFor();
  await page.getByLabel('Key').waitFor();
  const left = () => [...Object.values(sessionStorage), ...Object.values(localStorage)].join();
  for (const tab of [page, other])
    await becomes(async () => (await tab.evaluate(left)).includes('s3cret'), false);
});
