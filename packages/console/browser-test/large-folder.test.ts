import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useConsole } from './support/console.js';
import { putFiles } from './support/files.js';

const count = 2500;
const nameOf = (n: number) => `big/file-${String(n).padStart(4, '0')}.txt`;

const console = useConsole({
  async prepare(service) {
    await putFiles(
      service,
      'many',
      Array.from({ length: count }, (_, n) => nameOf(n)),
    );
  },
});

test('a large folder shows its first page at once, and holds few of its rows in the document', async () => {
  const page = await console.open();
  let asked = 0;
  let askedForFolders = 0;
  page.on('request', (request) => {
    const url = request.url();
    if (/\/many\/files\?.*details/.test(url)) asked++;
    if (/\/many\/files\?.*folders/.test(url)) askedForFolders++;
  });
  await page.goto(`${console.url}#/drives/many?folder=big%2F`);
  await page.getByText(nameOf(0).slice(4)).waitFor();
  assert.equal(asked, 1);
  const size = () => page.evaluate(() => document.querySelectorAll('*').length);
  const first = await size();
  while ((await page.getByText('2,500 entries').count()) === 0) {
    await page.getByRole('grid').focus();
    await page.keyboard.press('Control+ArrowDown');
  }
  await page.keyboard.press('Control+ArrowDown');
  await page.getByText(nameOf(count - 1).slice(4)).waitFor();
  assert.ok((await size()) < first * 2, 'rows out of view are not in the document');
  assert.ok(asked <= 5, `${asked} pages`);
  assert.equal(askedForFolders, 1);
});

test('a link to a file that is not read so far opens it', async () => {
  const name = nameOf(count - 1);
  const page = await console.open(`#/drives/many?folder=big%2F&file=${encodeURIComponent(name)}`);
  await page.getByLabel(name.slice(4), { exact: true }).getByText(name).first().waitFor();
});

test('what is stored and deleted appears in its place with one request, however large the folder is', async () => {
  const page = await console.open('#/drives/many?folder=big%2F');
  const first = page.getByRole('gridcell', { name: 'file-0000.txt', exact: true });
  await first.waitFor();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/\/files\?.*details/.test(request.url()) && request.method() === 'GET') asked.push(request.url());
  });
  const files = ['file-0000-a.txt', 'file-0001.txt'].map((name) => ({
    name,
    mimeType: 'text/css',
    buffer: Buffer.from('new'),
  }));
  await page.getByLabel('Files to upload').setInputFiles(files);
  await page.getByLabel('What becomes of big/file-0001.txt').selectOption('Replace the file there');
  await page.getByRole('dialog').getByRole('button', { name: 'Upload' }).click();
  const rows = page.getByRole('row');
  // Names are in the order of their bytes: `-` comes before `.`.
  await rows.nth(1).getByText('file-0000-a.txt').waitFor();
  await rows.nth(3).getByText('text/css').waitFor();
  assert.ok(asked.length <= 2, asked.join('\n'));

  asked.length = 0;
  await page.getByRole('checkbox', { name: 'Select big/file-0000-a.txt' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 1 file').waitFor();
  await rows.nth(1).getByText('file-0000.txt').waitFor();
  assert.deepEqual(asked, []);
});

test('a large deletion says how far it is, and can be stopped', async () => {
  const page = await console.open('#/drives/many');
  let deletions = 0;
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/v1/demo/many/files', async (route) => {
    if (route.request().method() === 'DELETE' && ++deletions === 2) await held;
    await route.continue();
  });
  await page.getByRole('checkbox', { name: 'Select big/' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByLabel('Type delete to continue').fill('delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  const work = page.getByRole('region', { name: 'Work in progress' });
  await work.getByText('1,000', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  release();
  await page.getByText('Deleted only 2,000 files').waitFor();
  await page.getByRole('gridcell', { name: 'big/', exact: true }).waitFor();
  const stats = (await (await console.call('GET', '/many/stats')).json()) as { drive: { files: number } };
  assert.equal(stats.drive.files, count - 2000);
});
