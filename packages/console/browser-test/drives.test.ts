import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { putFile } from './support/files.js';

const largeBytes = 50_000_000;
/** One of 10 MiB, the others of 5 MiB. */
const largeParts = 9;
const hostile = '<script>document.title = "run"</script><img src=x onerror="document.title = \'run\'">';
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>parent.document.title="run"</script></svg>';
let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'basedrive-console-'));
});
after(() => rm(folder, { recursive: true }));

const console = useConsole({
  async prepare() {
    await put('photos', '2026/trip/cat.txt', 'a cat', 'text/plain');
    await put('photos', '2026/plan.html', hostile, 'text/html');
    await put('photos', 'mark.svg', svg, 'image/svg+xml');
    await put('photos', '\u202Egnp.exe', 'odd', 'text/plain');
    await put('photos', '"quoted" <b>.txt', 'odd', 'text/plain');
  },
});

const put = (drive: string, name: string, body: string, type: string) =>
  putFile(console, drive, name, { body, type });

async function bytesOf(drive: string, name: string): Promise<Buffer> {
  const response = await console.call('GET', `/${drive}/files/download?name=${encodeURIComponent(name)}`);
  assert.equal(response.status, 200, name);
  return Buffer.from(await response.arrayBuffer());
}

const openFile = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

test('folders are opened one by one, typed, and left by their path', async () => {
  const page = await console.open();
  await page.getByRole('link', { name: 'photos' }).first().click();
  await openFile(page, '2026/');
  await openFile(page, 'trip/');
  await page.getByRole('gridcell', { name: 'cat.txt', exact: true }).waitFor();
  await page.getByRole('heading', { level: 1 }).getByRole('link', { name: '2026' }).click();
  await page.getByRole('gridcell', { name: 'plan.html', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Go to a folder' }).click();
  await page.getByLabel('Folder in photos').fill('2026/trip');
  await page.keyboard.press('Enter');
  await page.getByRole('gridcell', { name: 'cat.txt', exact: true }).waitFor();
});

test('what is stored is shown and never run: HTML as text, SVG in an image, odd names as text', async () => {
  const page = await console.open('#/drives/photos?folder=2026%2F');
  const title = await page.title();
  await openFile(page, 'plan.html');
  await page.getByText(hostile).waitFor();
  await page.goto(`${console.url}#/drives/photos`);
  await openFile(page, 'mark.svg');
  const image = page.getByRole('img', { name: 'Preview of mark.svg' });
  await image.waitFor();
  await page.waitForFunction(
    () => document.querySelector<HTMLImageElement>('.preview-media')?.naturalWidth === 8,
  );
  await page.getByRole('button', { name: '"quoted" <b>.txt', exact: true }).waitFor();
  await page.getByRole('button', { name: '\ufffdgnp.exe', exact: true }).waitFor();
  assert.equal(await page.title(), title);
  await becomes(() => page.locator('b, script[src=""], iframe').count(), 0);
});

test('files are uploaded, renamed, moved and deleted', async () => {
  const page = await console.open('#/drives/work');
  await page.getByText('Drop files or folders here').waitFor();
  await page.getByLabel('Files to upload').setInputFiles([
    { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('first') },
    { name: 'b.txt', mimeType: 'text/plain', buffer: Buffer.from('second') },
  ]);
  await page.getByText('2 files uploaded').waitFor();
  assert.equal((await bytesOf('work', 'a.txt')).toString(), 'first');

  await openFile(page, 'a.txt');
  await page.getByRole('button', { name: 'More about the file' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByLabel('Name', { exact: true }).fill('b.txt');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Name', { exact: true }).fill('c.txt');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('button', { name: 'c.txt', exact: true }).waitFor();

  await page.getByRole('checkbox', { name: 'Select b.txt' }).click();
  await page.getByRole('checkbox', { name: 'Select c.txt' }).click();
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByLabel('To the folder').fill('deep/er');
  await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByRole('button', { name: 'deep/', exact: true }).waitFor();
  assert.equal((await bytesOf('work', 'deep/er/c.txt')).toString(), 'first');

  await page.getByRole('checkbox', { name: 'Select deep/' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  const confirmed = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
  await becomes(() => confirmed.isDisabled(), true, 'a folder is deleted only after a word is typed');
  await page.getByLabel('Type delete to continue').fill('delete');
  await confirmed.click();
  await page.getByText('Deleted 2 files').waitFor();
  assert.deepEqual(await (await console.call('GET', '/work/files')).json(), { names: [] });
});

test('a file is saved with the bytes that are stored', async () => {
  const page = await console.open('#/drives/photos?folder=2026%2Ftrip%2F');
  await openFile(page, 'cat.txt');
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const saved = await saving;
  assert.equal(saved.suggestedFilename(), 'cat.txt');
  const stream = await saved.createReadStream();
  assert.equal(Buffer.concat(await stream.toArray()).toString(), 'a cat');
});

test('a large upload that is paused, and then cut off by a reload, is resumed and sends no part twice', async () => {
  const bytes = randomBytes(largeBytes);
  const file = join(folder, 'film.bin');
  await writeFile(file, bytes);
  const page = await console.open('#/drives/films');
  const stored: string[] = [];
  page.on('response', (response) => {
    const part = /parts\?.*part=(\d+)/.exec(response.url())?.[1];
    if (part !== undefined && response.status() === 200) stored.push(part);
  });
  // Three parts pass, the others wait for the pause.
  const passed = new Set<string>();
  let isHeld = true;
  await page.route(/\/parts\?/, async (route) => {
    const part = /part=(\d+)/.exec(route.request().url())?.[1] ?? '';
    if (isHeld && passed.size === 3 && !passed.has(part)) return;
    passed.add(part);
    await route.continue();
  });
  await page.getByLabel('Files to upload').setInputFiles(file);
  await page.waitForFunction(() => /[1-9]\d? %/.test(document.querySelector('.transfer')?.textContent ?? ''));
  await becomes(() => stored.length, 3);
  await page.getByRole('button', { name: 'Pause film.bin' }).click();
  await page.getByText(/Paused at \d+ %/).waitFor();

  await page.reload();
  await page.getByText('1 upload interrupted').waitFor();
  isHeld = false;
  await page.getByLabel('Files to upload').setInputFiles(file);
  await page.getByText('1 file uploaded').waitFor({ timeout: 60_000 });
  assert.deepEqual(
    stored.map(Number).sort((a, b) => a - b),
    Array.from({ length: largeParts }, (_, n) => n + 1),
  );
  assert.ok((await bytesOf('films', 'film.bin')).equals(bytes));
  assert.deepEqual(await (await console.call('GET', '/films/uploads')).json(), { uploads: [] });
});

test('what a file is, and when it expires, is changed and taken back', async () => {
  await put('types', 'page', '# Hello', 'text/plain');
  const page = await console.open('#/drives/types?file=page');
  const details = async () => {
    const answer = await console.call('GET', '/types/files?details=true');
    return ((await answer.json()) as { files: { content_type: string; expires?: number }[] }).files[0];
  };
  const ask = async () => {
    await page.getByRole('button', { name: 'More about the file' }).click();
    await page.getByRole('menuitem', { name: 'Type and expiry' }).click();
  };
  const change = page.getByRole('dialog').getByRole('button', { name: 'Change' });
  await ask();
  await becomes(() => change.isDisabled(), true, 'nothing is changed yet');
  await page.getByLabel('Content type').fill('text/märkdown');
  await change.click();
  await page
    .getByRole('alert')
    .getByText(/content_type/)
    .waitFor();
  await page.getByLabel('Content type').fill('text/markdown');
  await page.getByLabel('It expires').selectOption({ label: 'At a date and time' });
  await page.getByLabel('Date and time, here').fill('2001-01-01T00:00');
  await change.click();
  await page.getByText('The date has passed').waitFor();
  await page.getByLabel('Date and time, here').fill('2100-01-01T00:00');
  await change.click();
  await page.getByLabel('page', { exact: true }).getByText('text/markdown').waitFor();
  const changed = await details();
  assert.equal(changed?.content_type, 'text/markdown');
  const expected = await page.evaluate(() => new Date('2100-01-01T00:00').getTime() / 1000);

  await ask();
  await page.getByLabel('It expires').selectOption({ label: 'Never' });
  await change.click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { expires, ...unchanged } = changed ?? {};
  assert.equal(expires, expected);
  assert.deepEqual(await details(), unchanged);
});

test('entries are moved by dragging them on a folder, and on a folder of the path', async () => {
  for (const name of ['a.txt', 'b.txt', 'c.txt', 'in/d.txt']) await put('desk', name, name, 'text/plain');
  const page = await console.open('#/drives/desk');
  const cell = (name: string) => page.getByRole('gridcell', { name, exact: true });
  await page.getByRole('checkbox', { name: 'Select a.txt' }).click();
  await page.getByRole('checkbox', { name: 'Select b.txt' }).click();
  await cell('b.txt').getByRole('none').dragTo(cell('in/').getByRole('none'));
  await page.getByText('To in/.').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByText('Moved 2 files').waitFor();
  await cell('a.txt').waitFor({ state: 'detached' });
  await openFile(page, 'in/');
  const path = page.getByRole('heading', { level: 1 });
  await cell('d.txt')
    .getByRole('none')
    .dragTo(path.getByRole('link', { name: 'desk' }));
  await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByText('Moved 1 file', { exact: true }).waitFor();
  const { names } = (await (await console.call('GET', '/desk/files')).json()) as { names: string[] };
  assert.deepEqual(names, ['c.txt', 'd.txt', 'in/a.txt', 'in/b.txt']);
});

test('with the keyboard alone, files are found, selected and deleted, and folders entered and left', async () => {
  for (const name of ['in/a.txt', 'in/b.txt', 'in/c.txt', 'in/d.txt', 'x.txt'])
    await put('typed', name, name, 'text/plain');
  const page = await console.open('#/drives/typed');
  await page.getByRole('grid').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('gridcell', { name: 'a.txt', exact: true }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('Delete');
  await page.getByRole('dialog', { name: 'Delete 2 entries?' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Deleted 2 files').waitFor();
  await page.keyboard.press('Control+a');
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('d');
  await page.getByText('1 entry', { exact: true }).waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('Backspace');
  await page.getByRole('gridcell', { name: 'x.txt', exact: true }).waitFor();
  const { names } = (await (await console.call('GET', '/typed/files')).json()) as { names: string[] };
  assert.deepEqual(names, ['in/a.txt', 'in/d.txt', 'x.txt']);
});
