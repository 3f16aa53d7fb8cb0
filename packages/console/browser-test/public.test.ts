import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { key, useConsole } from './support/console.js';
import { putFile } from './support/files.js';
import { hold } from './support/hold.js';
import { testScreens } from './support/screens.js';

/** A page whose script takes the key of the tab, if it runs. */
const hostile =
  '<!doctype html><title>Hello</title><h1>A public page</h1>' +
  '<script>document.title = "run"; document.title = sessionStorage.getItem("basedrive-key")</script>';

const console = useConsole({
  async prepare(service) {
    for (const drive of ['www', 'kept', 'looked', 'hostile', 'keys', 'late', 'private']) {
      await putFile(service, drive, 'site/index.html', { body: hostile, type: 'text/html' });
      await putFile(service, drive, 'site/deep/cat.txt', { body: 'a cat' });
      await putFile(service, drive, 'secret.txt', { body: 'secret' });
    }
    for (const drive of ['looked', 'hostile', 'keys'])
      await service.call('PUT', `/${drive}/public`, '{"prefixes":["site/"],"max_age":120}');
  },
});

const addressOf = (drive: string, path: string) => `${console.url}public/demo/${drive}/${path}`;
const statusOf = async (drive: string, path: string) => (await fetch(addressOf(drive, path))).status;
const publicOf = async (drive: string) => (await console.call('GET', `/${drive}/public`)).json();
const dialogOf = (page: Page) => page.getByRole('dialog');

async function ask(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Public files' }).click();
}

test('a folder is made public, shows where it is, and is private again', async () => {
  const page = await console.open('#/drives/www');
  await ask(page);
  await dialogOf(page)
    .getByText('None. Nobody can read a file of this drive without a key or a link.')
    .waitFor();
  await dialogOf(page).getByText('A drive is never public as a whole.').waitFor();
  await becomes(() => dialogOf(page).getByRole('button', { name: 'Make public' }).isDisabled(), true);
  await page.keyboard.press('Escape');

  await page.getByRole('checkbox', { name: 'Select site/' }).click();
  await page.getByRole('button', { name: 'Public', exact: true }).click();
  await becomes(() => page.getByLabel('Folder to make public').inputValue(), 'site/');
  await dialogOf(page).getByRole('button', { name: 'Make public' }).click();
  await dialogOf(page).getByText(addressOf('www', 'site/')).waitFor();
  assert.deepEqual(await publicOf('www'), { prefixes: ['site/'], max_age: 60 });
  assert.equal(await statusOf('www', 'site/deep/cat.txt'), 200);
  assert.equal(await statusOf('www', 'secret.txt'), 404);
  await page.keyboard.press('Escape');

  // In the row, in the head of the drive, in that of the folder and of a folder in it, and beside a file.
  await page.getByRole('gridcell', { name: 'site/' }).getByText('Public', { exact: true }).waitFor();
  await page.getByRole('button', { name: '1 public folder' }).waitFor();
  await page.goto(`${console.url}#/drives/www?folder=site%2Fdeep%2F&file=site%2Fdeep%2Fcat.txt`);
  await page.getByRole('link', { name: addressOf('www', 'site/deep/cat.txt') }).waitFor();
  await page.locator('.drive-head').getByRole('button', { name: 'Public' }).click();
  await dialogOf(page).getByText('It is public, as a part of site/.').waitFor();

  await dialogOf(page).getByRole('button', { name: 'Stop sharing site/' }).click();
  await page.getByText('site/ is not public any more. Caches may keep its files for 60 seconds.').waitFor();
  await dialogOf(page).getByText('None. Nobody').waitFor();
  assert.equal(await statusOf('www', 'site/deep/cat.txt'), 404);
  await page.keyboard.press('Escape');
  await page.locator('.drive-head').getByRole('button', { name: 'Public' }).waitFor({ state: 'detached' });
});

test('with the keyboard, a folder that does not exist yet is made public; what others have set meanwhile stays', async () => {
  const page = await console.open('#/drives/kept');
  await ask(page);
  await dialogOf(page).getByText('None. Nobody').waitFor();
  await console.call('PUT', '/kept/public', '{"prefixes":["theirs/"],"max_age":5}');
  await page.keyboard.type('later');
  await page.keyboard.press('Enter');
  await dialogOf(page).getByText(addressOf('kept', 'later/')).waitFor();
  assert.deepEqual(await publicOf('kept'), { prefixes: ['theirs/', 'later/'], max_age: 5 });
  await page.getByLabel('Folder to make public').fill(`${'long'.repeat(400)}`);
  await page.keyboard.press('Enter');
  await page
    .getByRole('alert')
    .getByText(/prefixes\[2\]/)
    .waitFor();
});

test('what becomes public in a drive marks no folder of another one, however late the answer is', async () => {
  const page = await console.open('#/drives/late');
  await ask(page);
  await dialogOf(page).getByText('None. Nobody').waitFor();
  // The list is read before it is changed.
  const { isHeld, letGo } = await hold(page, '/late/public', 2);
  await page.getByLabel('Folder to make public').fill('site');
  await page.keyboard.press('Enter');
  await isHeld;
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'private' }).first().click();
  await page.getByRole('heading', { level: 1 }).getByText('private').waitFor();
  await page.getByRole('gridcell', { name: 'site/', exact: true }).waitFor();
  letGo();
  await page.getByText('site/ is public').waitFor();
  await becomes(() => page.locator('.public-mark, .public-badge').count(), 0);
});

test('a public page does not run, neither in the tab of the console nor in one that the console opens', async () => {
  const page = await console.open('#/drives/hostile?folder=site%2F&file=site%2Findex.html', {
    // The script of this test that signs in cannot do so there, either.
    attack: async () => {},
  });
  const opening = page.context().waitForEvent('page');
  await page.getByRole('link', { name: addressOf('hostile', 'site/index.html') }).click();
  const opened = await opening;
  await opened.getByText('A public page').waitFor();
  assert.equal(await opened.title(), 'Hello');
  assert.equal(await opened.evaluate(() => window.opener), null);
  await page.goto(addressOf('hostile', 'site/'));
  await page.getByText('A public page').waitFor();
  assert.equal(await page.title(), 'Hello');
  // The tab of the console still has its key, which the page could have read.
  await page.goto(console.url);
  await becomes(() => page.evaluate(() => sessionStorage.getItem('basedrive-key')), key);
});

test('a limited key is offered what it may do', async () => {
  const keyOf = async (limits: string) =>
    ((await (await console.call('POST', '/keys', limits)).json()) as { key: string }).key;
  const openWith = async (limits: string) => {
    const limited = await keyOf(limits);
    return console.open('#/drives/keys', {
      isSignedIn: false,
      before: (page) =>
        page.addInitScript((value) => sessionStorage.setItem('basedrive-key', value), limited),
    });
  };
  const reader = await openWith('{"access":"read"}');
  await reader.getByRole('button', { name: '1 public folder' }).click();
  await dialogOf(reader).getByText(addressOf('keys', 'site/')).waitFor();
  await becomes(
    () =>
      dialogOf(reader)
        .getByRole('button', { name: /Stop sharing|Make public/ })
        .count(),
    0,
  );
  await reader.keyboard.press('Escape');
  await reader.getByRole('checkbox', { name: 'Select site/' }).click();
  await reader.getByText('1 selected').waitFor();
  await becomes(() => reader.getByRole('button', { name: 'Public', exact: true }).count(), 0);

  await reader.getByLabel('Files to upload').setInputFiles({
    name: 'new.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('new'),
  });
  await reader.getByText('Your key may only read.').waitFor();

  const within = await openWith('{"access":"full","prefix":"site/"}');
  await within.getByRole('gridcell', { name: 'site/', exact: true }).waitFor();
  await within.getByRole('button', { name: 'More', exact: true }).click();
  await within.getByRole('menuitem', { name: 'Read again' }).waitFor();
  await becomes(() => within.getByRole('menuitem', { name: 'Public files' }).count(), 0);
});

testScreens(console, [
  {
    name: 'public-rows',
    fragment: '#/drives/looked',
    show: (page) => page.getByText('Public', { exact: true }).first().waitFor(),
  },
  {
    name: 'public-files',
    fragment: '#/drives/looked?folder=site%2F',
    async show(page) {
      await page.getByRole('button', { name: 'Public', exact: true }).click();
      await page.getByText(addressOf('looked', 'site/')).waitFor();
    },
  },
]);
