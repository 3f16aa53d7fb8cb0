import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible } from './support/axe.js';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { contentOf, putFile, putFiles } from './support/files.js';

const console = useConsole();
const dialogOf = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string) => dialogOf(page).getByRole('button', { name, exact: true }).click();
const text = (name: string, content: string) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
});

test('a file whose name is taken is asked about before anything is sent', async () => {
  await putFile(console, 'asked', 'readme.txt', { body: 'old' });
  const page = await console.open('#/drives/asked');
  const choose = () =>
    page.getByLabel('Files to upload').setInputFiles([text('readme.txt', 'new'), text('other.txt', 'other')]);
  await choose();
  await page.getByRole('dialog', { name: '1 name is taken' }).waitFor();
  await assertAccessible(page, 'an upload whose name is taken');
  await press(page, 'Cancel');
  assert.deepEqual(await contentOf(console, 'asked'), { 'readme.txt': 'old' });

  await choose();
  await becomes(() => page.getByLabel('Another name for readme.txt').inputValue(), 'readme (2).txt');
  await press(page, 'Upload');
  await page.getByText('2 files uploaded').waitFor();
  assert.deepEqual(await contentOf(console, 'asked'), {
    'other.txt': 'other',
    'readme (2).txt': 'new',
    'readme.txt': 'old',
  });

  await choose();
  await page.getByRole('dialog', { name: '2 names are taken' }).waitFor();
  await page.getByLabel('What becomes of readme.txt').selectOption('Replace the file there');
  await page.getByLabel('What becomes of other.txt').selectOption('Do not upload it');
  await press(page, 'Upload');
  await page.getByText('3 files uploaded').waitFor();
  assert.deepEqual(await contentOf(console, 'asked'), {
    'other.txt': 'other',
    'readme (2).txt': 'new',
    'readme.txt': 'new',
  });
});

test('a name that is taken while the file is sent is not replaced unless the user says so', async () => {
  const page = await console.open('#/drives/raced');
  await page.route(
    '**/raced/files?name=*',
    async (route) => {
      await putFile(console, 'raced', 'a.txt', { body: 'theirs' });
      await route.continue();
    },
    { times: 1 },
  );
  await page.getByLabel('Files to upload').setInputFiles(text('a.txt', 'mine'));
  await page.getByText('There is a file of this name already').waitFor();
  assert.deepEqual(await contentOf(console, 'raced'), { 'a.txt': 'theirs' });
  await page.getByRole('button', { name: 'Replace it' }).click();
  await page.getByText('1 file uploaded').waitFor();
  assert.deepEqual(await contentOf(console, 'raced'), { 'a.txt': 'mine' });
});

test('small files go four at a time, large ones two, and the folder is read once for many', async () => {
  const names = Array.from({ length: 24 }, (_, n) => `${String(n).padStart(2, '0')}.txt`);
  const page = await console.open('#/drives/bulk', { before: (page) => page.clock.install() });
  await page.getByRole('heading', { name: 'No files' }).waitFor();
  let lists = 0;
  page.on('request', (request) => {
    if (/\/bulk\/files\?.*details/.test(request.url())) lists++;
  });
  let sending = 0;
  const held: (() => void)[] = [];
  let isHeld = true;
  await page.route('**/bulk/files?name=*', async (route) => {
    sending++;
    if (isHeld) await new Promise<void>((resolve) => held.push(resolve));
    await route.continue();
  });
  // Between two readings nothing but time is waited for.
  await page.clock.pauseAt(Date.now() + 10_000);
  await page.getByLabel('Files to upload').setInputFiles(names.map((name) => text(name, name)));
  await becomes(() => sending, 4);
  isHeld = false;
  for (const letGo of held) letGo();
  await page.getByText('24 files uploaded').waitFor();
  assert.ok(lists <= 1, `${lists} readings`);
  await page.clock.resume();
  await becomes(() => page.getByRole('grid').getAttribute('aria-rowcount'), '25');
  assert.ok(lists <= 3, `${lists} readings`);

  [sending, isHeld] = [0, true];
  held.length = 0;
  const large = ['a.bin', 'b.bin', 'c.bin'].map((name) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.alloc(1_100_000),
  }));
  await page.getByLabel('Files to upload').setInputFiles([...large, text('z.txt', 'z')]);
  await becomes(() => sending, 2);
  for (const letGo of held.splice(0, 1)) letGo();
  await becomes(() => sending, 3);
  isHeld = false;
  for (const letGo of held) letGo();
  await page.getByText('28 files uploaded').waitFor();
});

test('an upload that is cancelled leaves the interrupted one of another file with the same name', async () => {
  const page = await console.open('#/drives/kept', {
    before: (page) =>
      page.addInitScript(() => {
        const film = { drive: 'kept', name: 'film.bin', size: 5e7, modified: 1, uploadId: 'u' };
        sessionStorage.setItem('basedrive-uploads', JSON.stringify([film]));
      }),
  });
  await page.getByText('1 upload interrupted').waitFor();
  await page.route('**/kept/files?name=*', () => {});
  await page.getByLabel('Files to upload').setInputFiles(text('film.bin', 'another film'));
  await page.getByRole('button', { name: 'Cancel film.bin' }).click();
  await page.getByText('1 upload interrupted').waitFor();
});

test('a folder is made, renamed with all that is below it, and merged with another', async () => {
  await putFiles(console, 'folders', ['keep/a.txt', 'trip/a.txt', 'trip/deep/b.txt']);
  const page = await console.open('#/drives/folders');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'New folder' }).click();
  await page.getByLabel('Name', { exact: true }).fill('2026');
  await press(page, 'Create');
  await page.getByRole('heading', { name: 'The folder is empty' }).waitFor();
  await page.getByLabel('Files to upload').setInputFiles(text('c.txt', 'c'));
  await page.getByRole('gridcell', { name: 'c.txt', exact: true }).waitFor();

  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Rename the folder' }).click();
  await page.getByLabel('Name', { exact: true }).fill('2027/begin');
  await press(page, 'Rename');
  // The page follows the folder.
  await page.getByRole('heading', { level: 1 }).getByText('/begin', { exact: true }).waitFor();
  await page.getByRole('gridcell', { name: 'c.txt', exact: true }).waitFor();

  await page.goto(`${console.url}#/drives/folders`);
  await page.getByRole('checkbox', { name: 'Select trip/' }).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Name', { exact: true }).fill('keep');
  await press(page, 'Rename');
  await page.getByRole('dialog', { name: '1 name is taken' }).waitFor();
  await press(page, 'Rename');
  await page.getByText('Renamed 2 files').waitFor();
  assert.deepEqual(await contentOf(console, 'folders'), {
    '2027/begin/c.txt': 'c',
    'keep/a (2).txt': 'trip/a.txt',
    'keep/a.txt': 'keep/a.txt',
    'keep/deep/b.txt': 'trip/deep/b.txt',
  });
});

test('before folders are deleted, the number of their files is said', async () => {
  await putFiles(console, 'counted', ['a/1', 'a/b/2', 'a/b/3', 'c']);
  const page = await console.open('#/drives/counted');
  await page.getByRole('checkbox', { name: 'Select a/' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialogOf(page).getByText('3 files will be deleted.').waitFor();
});
