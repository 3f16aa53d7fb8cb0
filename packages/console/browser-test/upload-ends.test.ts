import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page, Route } from 'playwright-core';
import { assertAccessible } from './support/axe.js';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { contentOf, namesOf, putFile } from './support/files.js';
import { hold } from './support/hold.js';

// Uploads that do not go through at once.

const console = useConsole({ settings: ['--key', 'other_s3cret'] });
const choose = (page: Page, ...names: readonly string[]) =>
  page
    .getByLabel('Files to upload')
    .setInputFiles(names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })));
const title = (page: Page) => page.locator('.transfers h2').textContent();
const all = '**/v1/**';

test('uploads go on by themselves when the service is back, and those that wait are not tried in vain', async () => {
  const page = await console.open('#/drives/away');
  await page.getByText('Drop files or folders here').waitFor();
  const tried = new Set<string>();
  await page.route('**/ready', (route) => route.abort());
  await page.route(all, async (route) => {
    const { pathname, searchParams } = new URL(route.request().url());
    if (pathname.endsWith('/away/files') && searchParams.has('name'))
      tried.add(searchParams.get('name') ?? '');
    await route.abort();
  });
  await choose(page, 'a', 'b', 'c', 'd', 'e', 'f');
  await becomes(() => page.locator('.transfer .problem').count(), 4);
  assert.equal(await title(page), 'Uploading 1 of 6');
  assert.equal(await page.getByText('The upload goes on by itself when it does.').count(), 4);
  assert.deepEqual([...tried], ['a', 'b', 'c', 'd']);
  await page.unroute(all);
  await page.unroute('**/ready');
  await page.getByText('6 files uploaded').waitFor();
  assert.deepEqual(await contentOf(console, 'away'), {
    a: 'a',
    b: 'b',
    c: 'c',
    d: 'd',
    e: 'e',
    f: 'f',
  });
});

test('of a file that changes while it waits, the page says so, and does not blame the service', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-changed-'));
  context.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'draft.txt');
  await writeFile(path, 'first');
  const page = await console.open('#/drives/changed');
  const { isHeld, letGo } = await hold(page, '/files?*limit=1&*');
  await page.getByLabel('Files to upload').setInputFiles(path);
  await isHeld;
  await writeFile(path, 'the second one is longer');
  letGo();
  await page.getByText('It has changed on your device').waitFor();
  assert.equal(await title(page), '1 upload failed');
  assert.equal(await page.getByRole('button', { name: 'Try draft.txt again' }).count(), 0);
  await assertAccessible(page, 'an upload that has failed');
});

test('all uploads that failed are tried again at once, and all that are left are cancelled at once', async () => {
  const page = await console.open('#/drives/many');
  await page.route('**/many/files?name=*', (route) =>
    route.fulfill({ status: 413, body: '{"errors":["The project is full"]}' }),
  );
  await choose(page, 'a', 'b', 'c');
  await becomes(() => title(page), '3 uploads failed');
  await page.unroute('**/many/files?name=*');
  const { isHeld, letGo } = await hold(page, '/many/files?name=c*');
  await page.getByRole('button', { name: 'Try all again' }).click();
  await isHeld;
  await becomes(() => title(page), 'Uploading 3 of 3');
  await choose(page, 'd', 'e');
  await becomes(() => namesOf(console, 'many'), ['a', 'b', 'd', 'e']);
  await choose(page, 'f');
  await page.getByRole('button', { name: 'Pause c' }).click();
  letGo();
  await becomes(() => title(page), '1 upload paused');
});

test('on a phone, the whole of a failure is read, and nothing of the transfers is cut off', async () => {
  const page = await console.open('#/drives/phone', { viewport: { width: 360, height: 740 } });
  const problem = 'The project is full: it may store 10 MB, and it stores 9.9 MB of them already';
  await page.route('**/phone/files?name=*', (route) =>
    new URL(route.request().url()).searchParams.get('name') === 'a'
      ? route.continue()
      : route.fulfill({ status: 413, body: JSON.stringify({ errors: [problem] }) }),
  );
  await choose(page, 'a', 'b', 'c-with-a-name-that-is-much-too-long-for-a-phone.txt');
  await becomes(() => title(page), '2 uploads failed');
  const cut = await page
    .locator('.transfers .problem, .transfers button')
    .evaluateAll((elements) =>
      elements
        .filter(
          (element) =>
            element.getBoundingClientRect().right > innerWidth ||
            element.scrollWidth > element.clientWidth + 1,
        )
        .map(({ outerHTML }) => outerHTML),
    );
  assert.deepEqual(cut, []);
});

test('Cancel all leaves what is stored, and sends nothing more', async () => {
  const page = await console.open('#/drives/wrong');
  const { isHeld, letGo } = await hold(page, '/wrong/files?name=b*');
  await choose(page, 'a', 'b');
  await isHeld;
  await becomes(() => title(page), 'Uploading 2 of 2');
  await page.route('**/wrong/files?name=*', () => {});
  await choose(page, 'c', 'd', 'e');
  await becomes(() => title(page), 'Uploading 2 of 5');
  await page.getByRole('button', { name: 'Cancel all' }).click();
  await becomes(() => title(page), '1 file uploaded');
  letGo();
  assert.deepEqual(await namesOf(console, 'wrong'), ['a']);
});

test('uploads of a session that ended by itself go on with another key of the project, and are gone with one of another', async () => {
  const page = await console.open('#/drives/ended');
  const endSession = async () => {
    const refuse = (route: Route) => route.fulfill({ status: 401, body: '{"errors":["Unauthorized"]}' });
    await page.route('**/ended/files?name=*', refuse);
    await choose(page, 'a', 'b', 'c');
    await page.getByLabel('Key', { exact: true }).waitFor();
    await page.unroute('**/ended/files?name=*');
  };
  const signIn = async (key: string) => {
    await page.getByLabel('Key', { exact: true }).fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'ended' }).waitFor();
  };
  await endSession();
  await signIn('demo_s3cret');
  await becomes(() => title(page), '3 uploads paused');
  assert.deepEqual(await namesOf(console, 'ended'), []);
  await page.getByRole('button', { name: 'Resume all' }).click();
  await page.getByText('3 files uploaded').waitFor();
  assert.equal(await page.locator('.transfers h2').getAttribute('aria-live'), 'polite');
  assert.deepEqual(await namesOf(console, 'ended'), ['a', 'b', 'c']);
  await console.call('DELETE', '/ended/files', '{"names":["a","b","c"]}');

  await endSession();
  await signIn('other_s3cret');
  await page.getByText('No files').waitFor();
  assert.equal(await page.locator('.transfers').count(), 0);
});

/** Drops a folder on the drive, with files that the browser can read or not. */
function dropFolder(page: Page, files: Readonly<Record<string, boolean>>): Promise<void> {
  return page.evaluate((given) => {
    const children = Object.entries(given).map(([name, isReadable]) => ({
      isFile: true,
      fullPath: `/trip/${name}`,
      file: (done: (file: File) => void, failed: (cause: unknown) => void) =>
        isReadable ? done(new File([name], name)) : failed(new DOMException('gone', 'NotFoundError')),
    }));
    const pieces = [children, []];
    const folder = {
      isFile: false,
      fullPath: '/trip',
      createReader: () => ({ readEntries: (done: (some: unknown) => void) => done(pieces.shift()) }),
    };
    DataTransferItem.prototype.webkitGetAsEntry = () => folder as unknown as FileSystemEntry;
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([], 'trip'));
    const options = { bubbles: true, cancelable: true, dataTransfer };
    document.querySelector('section.screen')?.dispatchEvent(new DragEvent('drop', options));
  }, files);
}

test('of a dropped folder all readable files are uploaded, and the page names what it cannot read', async () => {
  await putFile(console, 'dropped', 'old.txt');
  const page = await console.open('#/drives/dropped');
  await page.getByRole('gridcell', { name: 'old.txt', exact: true }).waitFor();
  await dropFolder(page, { 'a.txt': true, 'bad.txt': false, 'c.txt': true, 'd.txt': false });
  await page.getByText('The browser cannot read trip/bad.txt and 1 other.').waitFor();
  await page.getByText('2 files uploaded').waitFor();
  assert.deepEqual(await namesOf(console, 'dropped'), ['old.txt', 'trip/a.txt', 'trip/c.txt']);

  await dropFolder(page, {});
  await page.getByText('There is no file in what was dropped.').waitFor();
});
