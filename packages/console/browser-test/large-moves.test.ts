import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { contentOf, namesOf, putFile, putFiles } from './support/files.js';
import { hold } from './support/hold.js';

const console = useConsole();
const dialogOf = (page: Page) => page.getByRole('dialog');
const press = (page: Page, name: string) => dialogOf(page).getByRole('button', { name, exact: true }).click();
const select = (page: Page, name: string) =>
  page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click();
const numbered = (before: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${before}${String(n).padStart(4, '0')}`);

async function renameSelected(page: Page, to: string): Promise<void> {
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Name', { exact: true }).fill(to);
  await press(page, 'Rename');
}

test('a folder of more than 1,000 files gets the name of the one around it, each file once', async () => {
  // The first is found again under its new name, if it is looked for; the second gets a name that another one gives up.
  const before = ['a/b/b/z', 'a/b/b/c1050', ...numbered('a/b/c', 1100)];
  await putFiles(console, 'up', before);
  const page = await console.open('#/drives/up?folder=a%2F');
  await select(page, 'a/b/');
  await renameSelected(page, 'a');
  await page.getByText('Renamed 1,102 files').waitFor();
  const after = ['a/b/c1050', 'a/b/z', ...numbered('a/c', 1100)];
  assert.deepEqual(await namesOf(console, 'up'), after);
  const file = await console.call('GET', '/up/files/download?name=a/b/c1050');
  assert.equal(await file.text(), 'a/b/b/c1050');
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Moved 1,102 files back').waitFor();
  assert.deepEqual(await namesOf(console, 'up'), before.sort());
});

test('an open folder that is renamed is shown with all its files, although it was opened before they were there', async () => {
  await putFiles(console, 'open', numbered('old/f', 1500));
  const page = await console.open('#/drives/open?folder=old%2F');
  await page.getByRole('gridcell', { name: 'f0000', exact: true }).waitFor();
  const { isHeld, letGo } = await hold(page, '/files/move', 2);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Rename the folder' }).click();
  await page.getByLabel('Name', { exact: true }).fill('new');
  await press(page, 'Rename');
  await page.getByRole('heading', { level: 1 }).getByText('/new', { exact: true }).waitFor();
  const toEnd = async (count: string) => {
    const counted = page.getByText(count, { exact: true });
    for (let tries = 0; tries < 40 && !(await counted.isVisible()); tries++) {
      await page.getByRole('grid').press('Control+End');
      await counted.waitFor({ timeout: 250 }).catch(() => {});
    }
    await counted.waitFor();
  };
  await toEnd('1,000 entries');
  await isHeld;
  letGo();
  await page.getByText('Renamed 1,500 files').waitFor();
  await toEnd('1,500 entries');
});

test('a folder that has nothing to do with a move is not read again after it', async () => {
  await putFiles(console, 'apart', [...numbered('from/f', 1001), 'other/o']);
  const page = await console.open('#/drives/apart');
  await page.getByRole('gridcell', { name: 'from/', exact: true }).waitFor();
  const { isHeld, letGo } = await hold(page, '/files/move', 2);
  await select(page, 'from/');
  await renameSelected(page, 'to');
  await isHeld;
  await page.getByRole('button', { name: 'other/', exact: true }).click();
  await page.getByRole('gridcell', { name: 'o', exact: true }).waitFor();
  let lists = 0;
  page.on('request', (request) => {
    if (request.url().includes('prefix=other')) lists++;
  });
  letGo();
  await page.getByText('Renamed 1,001 files').waitFor();
  // Its folder is shown as it is now.
  await page.goBack();
  await page.getByRole('gridcell', { name: 'to/', exact: true }).waitFor();
  await becomes(() => page.getByRole('gridcell', { name: 'from/', exact: true }).count(), 0);
  assert.equal(lists, 0);
});

test('a name that is offered is none that another file gets by the same move', async () => {
  await putFiles(console, 'free', ['cat.png', 'cat (2).png', 'trip/cat.png']);
  const page = await console.open('#/drives/free');
  await select(page, 'cat.png');
  await select(page, 'cat (2).png');
  await page.getByRole('button', { name: 'Move' }).click();
  await page.getByLabel('To the folder').fill('trip');
  await press(page, 'Move');
  await page.getByRole('dialog', { name: '1 name is taken' }).waitFor();
  await becomes(() => page.getByLabel('Another name for trip/cat.png').inputValue(), 'trip/cat (3).png');
  await press(page, 'Move');
  await page.getByText('Moved 2 files', { exact: true }).waitFor();
  assert.deepEqual(await contentOf(console, 'free'), {
    'trip/cat (2).png': 'cat (2).png',
    'trip/cat (3).png': 'cat.png',
    'trip/cat.png': 'trip/cat.png',
  });
});

test('a file that gets the name of one that stays is asked about, also within the same move', async () => {
  await putFiles(console, 'chain', ['a/b/b/x', 'a/b/x', 'a/x']);
  const page = await console.open('#/drives/chain?folder=a%2F');
  await select(page, 'a/b/');
  await renameSelected(page, 'a');
  await page.getByRole('dialog', { name: '2 names are taken' }).waitFor();
  await page.getByLabel('What becomes of all 2 files').selectOption('Leave it where it is');
  await press(page, 'Rename');
  // Nothing has changed, and there is nothing to take back.
  await page.getByText('Renamed 0 files').waitFor();
  await becomes(() => page.getByRole('button', { name: 'Undo' }).count(), 0);
  assert.deepEqual(await namesOf(console, 'chain'), ['a/b/b/x', 'a/b/x', 'a/x']);
});

test('a failure is told although the dialog was closed meanwhile', async () => {
  await putFile(console, 'closed', 'a.txt', { body: 'mine' });
  const page = await console.open('#/drives/closed');
  const { isHeld, letGo } = await hold(page, '/files/move');
  await select(page, 'a.txt');
  await page.getByRole('button', { name: 'Move' }).click();
  await page.getByLabel('To the folder').fill('in/');
  await press(page, 'Move');
  await isHeld;
  await page.keyboard.press('Escape');
  await dialogOf(page).waitFor({ state: 'detached' });
  await putFile(console, 'closed', 'in/a.txt', { body: 'theirs' });
  letGo();
  await page.getByText('There is a file in/a.txt already.').waitFor();
  assert.deepEqual(await contentOf(console, 'closed'), { 'a.txt': 'mine', 'in/a.txt': 'theirs' });
});

test('a move that ends after its dialog was closed leaves the next dialog open', async () => {
  await putFiles(console, 'next', ['a.txt', 'b.txt']);
  const page = await console.open('#/drives/next');
  const { isHeld, letGo } = await hold(page, '/files/move');
  await select(page, 'a.txt');
  await page.getByRole('button', { name: 'Move' }).click();
  await page.getByLabel('To the folder').fill('in');
  await press(page, 'Move');
  await isHeld;
  await page.keyboard.press('Escape');
  await select(page, 'a.txt');
  await select(page, 'b.txt');
  await page.getByRole('button', { name: 'Move' }).click();
  await page.getByLabel('To the folder').fill('out');
  letGo();
  await page.getByText('Moved 1 file', { exact: true }).waitFor();
  await press(page, 'Move');
  await dialogOf(page).waitFor({ state: 'detached' });
  assert.deepEqual(await namesOf(console, 'next'), ['in/a.txt', 'out/b.txt']);
});

test('a file that is open stays so while others are renamed and deleted, and follows its own new name', async () => {
  await putFiles(console, 'beside', ['a.txt', 'b.txt', 'c.txt']);
  const page = await console.open('#/drives/beside?file=a.txt');
  const pane = (name: string) => page.getByRole('complementary', { name, exact: true });
  await pane('a.txt').waitFor();
  await select(page, 'b.txt');
  await renameSelected(page, 'd.txt');
  await page.getByText('Renamed 1 file').waitFor();
  await page.getByRole('gridcell', { name: 'd.txt', exact: true }).waitFor();
  assert.match(page.url(), /file=a\.txt/);
  await select(page, 'c.txt');
  await page.locator('.screen-foot').getByRole('button', { name: 'Delete' }).click();
  await press(page, 'Delete');
  await page.getByText('Deleted 1 file').waitFor();
  await becomes(() => pane('a.txt').isVisible(), true);
  await select(page, 'a.txt');
  await renameSelected(page, 'e.txt');
  await pane('e.txt').waitFor();
  await select(page, 'e.txt');
  await page.locator('.screen-foot').getByRole('button', { name: 'Delete' }).click();
  await press(page, 'Delete');
  await pane('e.txt').waitFor({ state: 'detached' });
});
