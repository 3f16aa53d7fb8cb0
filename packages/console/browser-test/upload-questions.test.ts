import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { contentOf, putFile } from './support/files.js';
import { hold } from './support/hold.js';

const console = useConsole();
const dialogOf = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string) => dialogOf(page).getByRole('button', { name, exact: true }).click();
const choose = (page: Page, ...names: readonly string[]) =>
  page
    .getByLabel('Files to upload')
    .setInputFiles(names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('new') })));

/** The request that looks whether names are taken. */
const look = '/files?*limit=1&*';

test('files are uploaded although another drive is opened before the service says which names are taken', async () => {
  await putFile(console, 'left', 'taken.txt', { body: 'old' });
  await putFile(console, 'other', 'theirs.txt');
  const page = await console.open('#/drives/left');
  await page.getByRole('gridcell', { name: 'taken.txt', exact: true }).waitFor();
  const { isHeld, letGo } = await hold(page, look);
  await choose(page, 'taken.txt');
  await isHeld;
  await page.getByRole('link', { name: 'other' }).first().click();
  await page.getByRole('gridcell', { name: 'theirs.txt', exact: true }).waitFor();
  letGo();
  // The question is asked wherever the user is, and names the drive.
  await dialogOf(page).getByText('There is a file of this name in left already.').waitFor();
  // Back does not answer it.
  await page.goBack();
  await page.getByRole('heading', { level: 1 }).getByText('left').waitFor();
  await press(page, 'Upload');
  await page.getByText('1 file uploaded').waitFor();
  assert.deepEqual(await contentOf(console, 'left'), { 'taken.txt': 'old', 'taken (2).txt': 'new' });
  assert.deepEqual(Object.keys(await contentOf(console, 'other')), ['theirs.txt']);
});

test('a drive that exists with its first file is listed, also if another one was opened meanwhile', async () => {
  await putFile(console, 'other', 'theirs.txt');
  const page = await console.open('#/drives/fresh');
  await page.getByText('Drop files or folders here').waitFor();
  const { isHeld, letGo } = await hold(page, look);
  await choose(page, 'first.txt');
  await isHeld;
  await page.getByRole('link', { name: 'other' }).first().click();
  await page.getByRole('gridcell', { name: 'theirs.txt', exact: true }).waitFor();
  letGo();
  await page.getByRole('link', { name: 'fresh' }).waitFor();
  assert.deepEqual(await contentOf(console, 'fresh'), { 'first.txt': 'new' });
});

test('of two sets of files, each is asked about, and no name is offered twice', async () => {
  await putFile(console, 'twice', 'a.txt', { body: 'old' });
  const page = await console.open('#/drives/twice');
  await page.getByRole('gridcell', { name: 'a.txt', exact: true }).waitFor();
  const { isHeld, letGo } = await hold(page, look);
  await choose(page, 'a.txt');
  await isHeld;
  await choose(page, 'a.txt', 'b.txt');
  letGo();
  const name = page.getByLabel('Another name for a.txt');
  await becomes(() => name.inputValue(), 'a (2).txt');
  // What is sent of the first set is still on its way when the second one is asked about.
  const sending = await hold(page, '/twice/files?name=*');
  await press(page, 'Upload');
  await sending.isHeld;
  await page.waitForFunction(
    () => document.querySelector<HTMLInputElement>('.conflict input')?.value === 'a (3).txt',
  );
  await press(page, 'Upload');
  sending.letGo();
  await page.getByText('3 files uploaded').waitFor();
  assert.deepEqual(await contentOf(console, 'twice'), {
    'a (2).txt': 'new',
    'a (3).txt': 'new',
    'a.txt': 'old',
    'b.txt': 'new',
  });
});

test('after the sign-out nothing is sent, and no question waits for who signs in next', async () => {
  await putFile(console, 'ended', 'a.txt', { body: 'old' });
  const page = await console.open('#/drives/ended');
  await page.getByRole('gridcell', { name: 'a.txt', exact: true }).waitFor();
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.url());
  });
  await choose(page, 'a.txt');
  await dialogOf(page).getByText('Nothing is sent yet.').waitFor();
  await choose(page, 'b.txt');
  // The key is revoked elsewhere: the next request of the page ends the session.
  await page.route('**/v1/**', (route) =>
    route.fulfill({ status: 401, body: '{"errors":["Unauthorized"]}' }),
  );
  await page.evaluate(() => {
    location.hash = '#/drives/another';
  });
  await page.getByLabel('Key').waitFor();
  await dialogOf(page).waitFor({ state: 'detached' });
  await page.unroute('**/v1/**');
  assert.deepEqual(sent, []);
  assert.deepEqual(await contentOf(console, 'ended'), { 'a.txt': 'old' });
});
