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

async function moveTo(page: Page, entries: readonly string[], folder: string): Promise<void> {
  for (const name of entries)
    await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click();
  await page.getByRole('button', { name: 'Move' }).click();
  await page.getByLabel('To the folder').fill(folder);
  await press(page, 'Move');
}

test('a name that is taken is named, nothing moves, and the typed folder stays', async () => {
  await putFile(console, 'one', 'cat.png', { body: 'new' });
  await putFile(console, 'one', 'trip/cat.png', { body: 'old' });
  await putFile(console, 'one', 'trip/cat (2).png', { body: 'older' });
  const page = await console.open('#/drives/one');
  await moveTo(page, ['cat.png'], 'trip');
  await page.getByRole('dialog', { name: '1 name is taken' }).waitFor();
  await dialogOf(page).getByText('trip/cat.png', { exact: true }).waitFor();
  await assertAccessible(page, 'a name that is taken');
  assert.equal((await contentOf(console, 'one'))['trip/cat.png'], 'old');
  await press(page, 'Back');
  await becomes(() => page.getByLabel('To the folder').inputValue(), 'trip');
  await press(page, 'Move');
  // A name that no file has is offered, and another one can be typed.
  const name = page.getByLabel('Another name for trip/cat.png');
  await becomes(() => name.inputValue(), 'trip/cat (3).png');
  await name.fill('trip/cat (2).png');
  await press(page, 'Move');
  await page.getByRole('alert').getByText('There is a file trip/cat (2).png already.').waitFor();
  await name.fill('trip/kitten.png');
  await press(page, 'Move');
  await page.getByText('Moved 1 file', { exact: true }).waitFor();
  await dialogOf(page).waitFor({ state: 'detached' });
  assert.deepEqual(await contentOf(console, 'one'), {
    'trip/cat (2).png': 'older',
    'trip/cat.png': 'old',
    'trip/kitten.png': 'new',
  });
});

test('of a folder whose names are taken, each file is replaced, renamed or left, and the others move', async () => {
  for (const name of ['a', 'b', 'c', 'deep/d']) {
    await putFile(console, 'merged', `new/${name}.txt`, { body: 'new' });
    if (name !== 'c') await putFile(console, 'merged', `all/new/${name}.txt`, { body: 'old' });
  }
  const page = await console.open('#/drives/merged');
  await moveTo(page, ['new/'], 'all');
  await page.getByRole('dialog', { name: '3 names are taken' }).waitFor();
  await page.getByLabel('What becomes of all 3 files').selectOption('Replace the file there');
  await page.getByLabel('What becomes of all/new/b.txt').selectOption('Leave it where it is');
  await page.getByLabel('What becomes of all/new/deep/d.txt').selectOption('Move it under another name');
  await press(page, 'Move');
  await page.getByText('Moved 3 files').waitFor();
  await page.getByRole('gridcell', { name: 'new/', exact: true }).waitFor();
  assert.deepEqual(await contentOf(console, 'merged'), {
    'all/new/a.txt': 'new',
    'all/new/b.txt': 'old',
    'all/new/c.txt': 'new',
    'all/new/deep/d (2).txt': 'new',
    'all/new/deep/d.txt': 'old',
    'new/b.txt': 'new',
  });
});

test('a name that is taken between the look and the move is named, and nothing is lost', async () => {
  await putFile(console, 'raced', 'a.txt', { body: 'new' });
  const page = await console.open('#/drives/raced');
  await page.route('**/files/move', async (route) => {
    await putFile(console, 'raced', 'in/a.txt', { body: 'theirs' });
    await route.continue();
  });
  await moveTo(page, ['a.txt'], 'in/');
  await page.getByRole('alert').getByText('There is a file in/a.txt already.').waitFor();
  await becomes(() => page.getByLabel('To the folder').inputValue(), 'in/');
  assert.deepEqual(await contentOf(console, 'raced'), { 'a.txt': 'new', 'in/a.txt': 'theirs' });
});

test('a file that is renamed to a name that is taken can replace the file that has it', async () => {
  await putFile(console, 'renamed', 'a.txt', { body: 'a' });
  await putFile(console, 'renamed', 'b.txt', { body: 'b' });
  const page = await console.open('#/drives/renamed?file=a.txt');
  await page.getByRole('button', { name: 'More about the file' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('b.txt');
  await press(page, 'Rename');
  await page.getByRole('alert').getByText('There is a file b.txt already.').waitFor();
  // What would be lost is not replaced with what is pressed or clicked once more.
  await name.press('Enter');
  await dialogOf(page).getByRole('button', { name: 'Replace it' }).dispatchEvent('click', { detail: 2 });
  assert.deepEqual(await contentOf(console, 'renamed'), { 'a.txt': 'a', 'b.txt': 'b' });
  await press(page, 'Replace it');
  await dialogOf(page).waitFor({ state: 'detached' });
  assert.deepEqual(await contentOf(console, 'renamed'), { 'b.txt': 'a' });
});

test('what is dropped on a folder that has the name is asked about, too', async () => {
  await putFile(console, 'dropped', 'a.txt', { body: 'new' });
  await putFile(console, 'dropped', 'in/a.txt', { body: 'old' });
  const page = await console.open('#/drives/dropped');
  const cell = (name: string) => page.getByRole('gridcell', { name, exact: true });
  await cell('a.txt').getByRole('none').dragTo(cell('in/').getByRole('none'));
  await press(page, 'Move');
  await page.getByLabel('What becomes of in/a.txt').selectOption('Replace the file there');
  await press(page, 'Move');
  await page.getByText('Moved 1 file', { exact: true }).waitFor();
  assert.deepEqual(await contentOf(console, 'dropped'), { 'in/a.txt': 'new' });
});

test('names that are taken far from each other in a large folder are found with few requests', async () => {
  const between = Array.from({ length: 2200 }, (_, n) => `in/m${String(n).padStart(4, '0')}`);
  await putFiles(console, 'wide', [
    ...between,
    'in/a',
    'in/z',
    'a',
    'z',
    'm9',
    'in/m9',
    'in/é',
    'é',
    '🙂',
    'in/🙂',
  ]);
  const page = await console.open('#/drives/wide');
  let lists = 0;
  page.on('request', (request) => {
    if (/\/files\?(?!.*folders=true).*last=/.test(request.url())) lists++;
  });
  await moveTo(page, ['a', 'z', 'm9', 'é', '🙂'], 'in');
  await page.getByRole('dialog', { name: '5 names are taken' }).waitFor();
  // Two for the names, and one for those that are offered in their place.
  assert.ok(lists <= 4, `${lists} lists`);
});

test('a move, and a rename, are taken back with Undo', async () => {
  await putFiles(console, 'undone', ['a.txt', 'in/b.txt', 'to/c.txt']);
  const before = await contentOf(console, 'undone');
  const page = await console.open('#/drives/undone');
  await moveTo(page, ['a.txt', 'in/'], 'to');
  await page.getByText('Moved 2 files', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Moved 2 files back').waitFor();
  await page.getByRole('gridcell', { name: 'a.txt', exact: true }).waitFor();
  assert.deepEqual(await contentOf(console, 'undone'), before);

  await page.getByRole('checkbox', { name: 'Select in/' }).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Name', { exact: true }).fill('out');
  await press(page, 'Rename');
  await page.getByText('Renamed 1 file').waitFor();
  // The name is taken again before the undo.
  await putFile(console, 'undone', 'in/b.txt', { body: 'theirs' });
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('There is a file in/b.txt already.').waitFor();
  assert.deepEqual(await contentOf(console, 'undone'), {
    ...before,
    'in/b.txt': 'theirs',
    'out/b.txt': 'in/b.txt',
  });
});
