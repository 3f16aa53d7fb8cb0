import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { putFile, putFiles } from './support/files.js';
import { filesOfZip } from './support/zip.js';

const large = randomBytes(9_000_000);

const console = useConsole({
  async prepare(service) {
    const names = ['trip/a.txt', 'trip/deep/b.txt', 'trip/../up.txt', 'trip/c:\\odd', 'other.txt'];
    await putFiles(service, 'photos', names);
    await putFile(service, 'photos', 'trip/large.bin', { body: large, type: 'application/octet-stream' });
    await putFiles(
      service,
      'many',
      Array.from({ length: 30 }, (_, n) => `f/${n}.txt`),
    );
  },
});

/** A browser that cannot write to the disk as bytes come. */
const withoutPicker = (page: Page) =>
  page.addInitScript(() => {
    delete (window as { showSaveFilePicker?: unknown }).showSaveFilePicker;
  });

/** The place that the user chooses is a file of the browser's own disk, which a page can read again. */
const withPicker = (page: Page) =>
  page.addInitScript(() => {
    Object.assign(window, {
      showSaveFilePicker: async ({ suggestedName }: { suggestedName: string }) =>
        (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true }),
    });
  });

const savedBytes = (page: Page, name: string) =>
  page.evaluate(async (saved) => {
    const file = await (await (await navigator.storage.getDirectory()).getFileHandle(saved)).getFile();
    // As a text with a unit for each byte: what a page gives back must be JSON.
    return new TextDecoder('x-user-defined').decode(await file.arrayBuffer());
  }, name);

async function chooseTrip(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: 'Select trip/' }).click();
  await page.getByRole('button', { name: 'Download' }).click();
}

async function assertIsTrip(zip: Buffer): Promise<void> {
  const files = await filesOfZip(zip);
  assert.deepEqual([...files.keys()].sort(), [
    'trip/_/up.txt',
    'trip/a.txt',
    'trip/c__odd',
    'trip/deep/b.txt',
    'trip/large.bin',
  ]);
  assert.equal(files.get('trip/deep/b.txt')?.toString(), 'trip/deep/b.txt');
  assert.ok(files.get('trip/large.bin')?.equals(large));
}

test('a folder is saved as a zip with all that is below it, and no path leads out of it', async () => {
  const page = await console.open('#/drives/photos', { before: withoutPicker });
  const saving = page.waitForEvent('download');
  await chooseTrip(page);
  const saved = await saving;
  assert.equal(saved.suggestedFilename(), 'trip.zip');
  await assertIsTrip(Buffer.concat(await (await saved.createReadStream()).toArray()));
  await page.getByText('Saved 5 files as trip.zip').waitFor();
  await page.getByRole('region', { name: 'Transfers' }).waitFor({ state: 'detached' });
});

test('where the browser can, the zip goes to the disk as it comes; it can be cancelled, and then fails for no reason', async () => {
  const page = await console.open('#/drives/photos', { before: withPicker });
  await chooseTrip(page);
  await page.getByText('Saved 5 files as trip.zip').waitFor();
  await assertIsTrip(Buffer.from(await savedBytes(page, 'trip.zip'), 'latin1'));

  await page.route(/download\?name=.*large/, () => {});
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Download the folder as a zip' }).click();
  await page.getByRole('progressbar', { name: 'Download of photos.zip' }).waitFor();
  await page.getByRole('button', { name: 'Cancel photos.zip' }).click();
  await page.getByRole('region', { name: 'Transfers' }).waitFor({ state: 'detached' });
  const isThere = () =>
    page.evaluate(async () => {
      const names: string[] = [];
      for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
      return names.includes('photos.zip');
    });
  await becomes(isThere, false);
});

test('a file that is deleted meanwhile is named; a failure ends the zip with its cause', async () => {
  const page = await console.open('#/drives/many', { before: withPicker });
  const missing = /download\?name=f%2F7\.txt/;
  const absent = { status: 404, contentType: 'application/json', body: '{"errors":["File not found"]}' };
  await page.route(missing, (route) => route.fulfill(absent));
  await page.getByRole('checkbox', { name: 'Select f/' }).click();
  await page.getByRole('button', { name: 'Download' }).click();
  await page.getByText('Saved 29 files as f.zip').waitFor();
  await page.getByText('Deleted meanwhile, so not in f.zip: f/7.txt').waitFor();
  await page.getByRole('status').getByRole('button', { name: 'Dismiss' }).first().click();

  await page.unroute(missing);
  await page.route(missing, (route) => route.fulfill({ ...absent, status: 400, body: '{"errors":["no"]}' }));
  await page.getByRole('button', { name: 'Download' }).click();
  const transfers = page.getByRole('region', { name: 'Transfers' });
  await transfers.getByText('no', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Dismiss f.zip' }).click();
  await transfers.waitFor({ state: 'detached' });
});

test('a browser that gives the page no disk is not asked for more than 2 GB', async () => {
  const address = console.url.replace('127.0.0.1', 'drives.test');
  const page = await console.open('#/drives/photos', { before: withoutPicker, address });
  await page.route(/\/files\?/, async (route) => {
    const response = await route.fetch({ url: route.request().url().replace('drives.test', '127.0.0.1') });
    const text = (await response.text()).replace('"size":9,', '"size":3000000000,');
    await route.fulfill({ response, body: text });
  });
  await page.reload();
  await page.getByRole('checkbox', { name: 'Select other.txt' }).click();
  await page.getByRole('button', { name: 'Download' }).click();
  await page.getByText('This browser can save at most 2.1 GB from a page').waitFor();
});
