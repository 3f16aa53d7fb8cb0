import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible } from './support/axe.js';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { contentOf, namesOf, putFile } from './support/files.js';

const console = useConsole();
const dialog = (page: Page) => page.getByRole('dialog');

async function askToDelete(page: Page, name: string): Promise<void> {
  await page.getByRole('checkbox', { name: `Select ${name}` }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
}

async function openTrash(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Trash' }).click();
}

test('a deletion says that it is for good, and keeps files only once that was asked for', async () => {
  await putFile(console, 'asked', 'gone.txt');
  await putFile(console, 'asked', 'kept.txt');
  const settings = async () => (await console.call('GET', '/asked/settings')).json();
  const page = await console.open('#/drives/asked');
  await askToDelete(page, 'gone.txt');
  await dialog(page).getByText('what is deleted is gone for good').waitFor();
  await assertAccessible(page, 'deletion without a trash');
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 1 file').waitFor();
  assert.deepEqual(await settings(), { trash: null, counted: false });

  await askToDelete(page, 'kept.txt');
  await dialog(page).getByRole('button', { name: 'Keep such files for 30 days' }).click();
  await dialog(page).getByText('can come back for 30 days').waitFor();
  assert.deepEqual(await settings(), { trash: '30d', counted: false });
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 1 file').last().waitFor();
  await openTrash(page);
  await dialog(page).getByRole('listitem').first().waitFor();
  await becomes(() => dialog(page).getByRole('listitem').count(), 1);
  await dialog(page).getByRole('button', { name: 'Bring back kept.txt' }).click();
  await dialog(page).getByText('The trash is empty.').waitFor();
  await dialog(page).getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'kept.txt', exact: true }).waitFor();
  assert.deepEqual(await contentOf(console, 'asked'), { 'kept.txt': 'kept.txt' });
});

test('where there is a trash, a folder is deleted without a word to type, and taken back', async () => {
  for (const name of ['a/1.txt', 'a/b/2.txt', 'c.txt']) await putFile(console, 'undone', name);
  await console.call('PUT', '/undone/settings', '{"trash":"7d"}');
  const page = await console.open('#/drives/undone');
  await page.getByRole('button', { name: 'a/', exact: true }).waitFor();
  await askToDelete(page, 'a/');
  await dialog(page).getByText('can come back for 7 days').waitFor();
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 2 files').waitFor();
  assert.deepEqual(await namesOf(console, 'undone'), ['c.txt']);
  await page.getByRole('button', { name: /Undo/ }).click();
  await page.getByText('Brought back 2 files').waitFor();
  await page.getByRole('button', { name: 'a/', exact: true }).waitFor();
  assert.deepEqual(await namesOf(console, 'undone'), ['a/1.txt', 'a/b/2.txt', 'c.txt']);
});

test('a file that is replaced by an upload has its versions, and gets one back', async () => {
  await putFile(console, 'versions', 'plan.txt', { body: 'first' });
  const page = await console.open('#/drives/versions');
  await page.getByRole('button', { name: 'plan.txt', exact: true }).waitFor();
  const buffer = Buffer.from('second');
  await page
    .getByLabel('Files to upload')
    .setInputFiles([{ name: 'plan.txt', mimeType: 'text/plain', buffer }]);
  await page.getByLabel('What becomes of plan.txt').selectOption('Replace the file there');
  await dialog(page).getByRole('button', { name: 'Keep such files for 30 days' }).click();
  await dialog(page).getByText('What is replaced comes to the trash').waitFor();
  await dialog(page).getByRole('button', { name: 'Upload' }).click();
  await page.getByText('1 file uploaded').waitFor();
  assert.deepEqual(await contentOf(console, 'versions'), { 'plan.txt': 'second' });

  await page.getByRole('button', { name: 'plan.txt', exact: true }).click();
  await page.getByRole('button', { name: 'More about the file' }).click();
  await page.getByRole('menuitem', { name: 'Earlier versions' }).click();
  await dialog(page).getByRole('button', { name: 'Bring back plan.txt' }).click();
  await dialog(page).getByRole('button', { name: 'Replace the file that has the name now' }).click();
  await page.getByText('plan.txt is back').waitFor();
  assert.deepEqual(await contentOf(console, 'versions'), { 'plan.txt': 'first' });
  // What it has replaced is a version now.
  await dialog(page).getByRole('button', { name: 'Bring back plan.txt' }).waitFor();
  await assertAccessible(page, 'versions');
});

test('the trash of a drive is set, and emptied after a word', async () => {
  await console.call('PUT', '/emptied/settings', '{"trash":"12h"}');
  await putFile(console, 'emptied', 'a.txt');
  await console.call('DELETE', '/emptied/files', '{"names":["a.txt"]}');
  const page = await console.open('#/drives/emptied');
  await openTrash(page);
  const choice = dialog(page).getByLabel('What is deleted or overwritten from now on');
  await becomes(() => choice.inputValue(), '12h');
  await choice.selectOption({ label: 'can come back for 7 days' });
  await page.waitForFunction(() => document.querySelector('select:disabled') === null);
  assert.deepEqual(await (await console.call('GET', '/emptied/settings')).json(), {
    trash: '7d',
    counted: false,
  });
  await dialog(page).getByRole('button', { name: 'Empty the trash' }).click();
  await page.getByLabel('Type empty to continue').fill('empty');
  await dialog(page).last().getByRole('button', { name: 'Empty the trash' }).click();
  await page.getByText('The trash is empty.').waitFor();
});

test('a key that may only read sees the trash and changes nothing', async () => {
  await console.call('PUT', '/seen/settings', '{"trash":"7d"}');
  await putFile(console, 'seen', 'a.txt');
  await console.call('DELETE', '/seen/files', '{"names":["a.txt"]}');
  const made = await console.call('POST', '/keys', '{"access":"read","drives":["seen"]}');
  const { key } = (await made.json()) as { key: string };
  const page = await console.open('#/drives/seen', {
    before: (opened) => opened.addInitScript((own) => sessionStorage.setItem('basedrive-key', own), key),
  });
  await page.locator('.badge').waitFor();
  await openTrash(page);
  await dialog(page).getByText('a.txt').waitFor();
  await dialog(page).getByText('Kept for 7 days.').waitFor();
  await becomes(
    () =>
      dialog(page)
        .getByRole('button', { name: /Bring back|Empty/ })
        .count(),
    0,
  );
});
