import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { BrowserContext, Download, Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { putFile } from './support/files.js';
import { store } from './support/items.js';
import { filesOfZip } from './support/zip.js';

// What is larger than 64 MB passes through the disk of the page, where the browser gives it one.

const part = randomBytes(9_900_000);
const parts = 8;
const itemText = 'x'.repeat(10_000);
const items = 7200;

const console = useConsole({
  async prepare(service) {
    for (let n = 0; n < parts; n++) await putFile(service, 'films', `all/${n}.bin`, { body: part });
    for (let from = 0; from < items; from += 600) {
      const some = Array.from({ length: 600 }, (_, n) => `{"key":"k${from + n}","text":"${itemText}"}`);
      await store(service, 'wide', some);
    }
  },
});

/** A browser that asks for no place. */
const withoutPicker = (page: Page) =>
  page.addInitScript(() => {
    delete (window as { showSaveFilePicker?: unknown }).showSaveFilePicker;
  });

/** The names on the disk of the page, with the bytes of the files. */
const onDisk = (page: Page) =>
  page.evaluate(async () => {
    const found: Record<string, number> = {};
    const walk = async (folder: FileSystemDirectoryHandle, path: string) => {
      for await (const [name, handle] of folder.entries()) {
        if (handle instanceof FileSystemDirectoryHandle) await walk(handle, `${path}${name}/`);
        else found[path + name] = (await (handle as FileSystemFileHandle).getFile()).size;
      }
    };
    // What is deleted while it is looked at is not there.
    await walk(await navigator.storage.getDirectory(), '').catch((cause: DOMException) => {
      if (cause.name !== 'NotFoundError') throw cause;
    });
    return found;
  });

const bytesOf = async (saved: Download) => Buffer.concat(await (await saved.createReadStream()).toArray());

async function zipAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Download the folder as a zip' }).click();
}

async function assertIsWhole(zip: Buffer): Promise<void> {
  const files = await filesOfZip(zip);
  assert.equal(files.size, parts);
  for (const [name, content] of files) assert.ok(content.equals(part), name);
}

/** Lets the last file of the zip wait. Gives a function that lets it go. */
async function holdLast(page: Page | BrowserContext): Promise<() => void> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(/download\?name=.*7\.bin/, async (route) => {
    await held;
    await route.continue();
  });
  return letGo;
}

const isOnItsWay = (page: Page) => page.getByText(/^[67]\d(\.\d)? MB · 7 files/).waitFor();

test('a large zip passes through the disk of the page, and the browser saves it', async () => {
  const page = await console.open('#/drives/films', { before: withoutPicker });
  const letGo = await holdLast(page);
  const saving = page.waitForEvent('download');
  await zipAll(page);
  await isOnItsWay(page);
  const isThere = (name: string) => /^downloads\/[\w-]+\/file(\.crswap)?$/.test(name);
  await becomes(async () => Object.keys(await onDisk(page)).some(isThere), true);
  letGo();
  await page.getByText(`Saved ${parts} files as films.zip`).waitFor();
  await assertIsWhole(await bytesOf(await saving));
});

test('a cancelled download leaves nothing on the disk of the page', async () => {
  const page = await console.open('#/drives/films', { before: withoutPicker });
  await holdLast(page);
  await zipAll(page);
  await isOnItsWay(page);
  await page.getByRole('button', { name: 'Cancel films.zip' }).click();
  await becomes(() => onDisk(page), {});
});

test('what a closed tab has left is deleted at the next start, and the download of another tab is not', async () => {
  const page = await console.open('#/drives/films', { before: withoutPicker });
  const letGo = await holdLast(page);
  const saving = page.waitForEvent('download');
  await zipAll(page);
  await isOnItsWay(page);
  await page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('downloads');
    for (const name of ['held', 'left-behind']) {
      const left = await folder.getDirectoryHandle(name, { create: true });
      await left.getFileHandle('file', { create: true });
    }
    // As a download does that is not writing at the moment.
    void navigator.locks.request('basedrive-download-held', () => new Promise(() => {}));
  });
  const other = await page.context().newPage();
  await other.goto(console.url);
  const namesOf = async () => Object.keys(await onDisk(other));
  await becomes(async () => (await namesOf()).some((name) => name.includes('left-behind')), false);
  const left = new Set((await namesOf()).map((name) => name.split('/')[1]));
  assert.equal(left.size, 2);
  assert.ok(left.has('held'));
  letGo();
  await assertIsWhole(await bytesOf(await saving));
});

test('a full disk is told, and nothing is left on it', async () => {
  const page = await console.open('#/drives/films', { before: withoutPicker });
  const browser = await page.context().newCDPSession(page);
  const origin = new URL(console.url).origin;
  await browser.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 70_000_000 });
  await zipAll(page);
  const transfers = page.getByRole('region', { name: 'Transfers' });
  await transfers.getByText('There is no room for the file').waitFor();
  await becomes(() => onDisk(page), {});
});

test('where the browser gives no disk, as over HTTP from another machine, a zip passes through blobs', async () => {
  const address = console.url.replace('127.0.0.1', 'drives.test');
  const page = await console.open('#/drives/films', { before: withoutPicker, address });
  assert.equal(await page.evaluate(() => isSecureContext), false);
  const saving = page.waitForEvent('download');
  await zipAll(page);
  await assertIsWhole(await bytesOf(await saving));
});

test('a large export of a base is saved byte by byte, through the disk of the page', async () => {
  const page = await console.open('#/bases/wide');
  await page.getByText('k0', { exact: true }).first().waitFor();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Export', exact: true }).click();
  await page.getByText('Exported 7,200 items').waitFor();
  const saved = await bytesOf(await saving);
  const stored = Buffer.from(await (await console.call('GET', '/wide/items')).arrayBuffer());
  const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
  assert.equal(saved.length, stored.length);
  assert.equal(hashOf(saved), hashOf(stored));
  assert.ok(Object.values(await onDisk(page)).includes(saved.length), 'it was on the disk of the page');
});
