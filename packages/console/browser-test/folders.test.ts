import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible } from './support/axe.js';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { namesOf, putFile } from './support/files.js';

const console = useConsole();

/** Makes an empty folder as an S3 client does. */
async function mark(drive: string, name: string): Promise<void> {
  const path = `/${drive}/files?name=${encodeURIComponent(name)}&folder=true`;
  assert.equal((await console.call('POST', path)).status, 201);
}

async function markersOf(drive: string): Promise<readonly string[]> {
  const page = await console.call('GET', `/${drive}/files?folders=true`);
  return ((await page.json()) as { names: string[] }).names;
}

const shown = (page: Page) =>
  page
    .locator('.grid-body [role=row] [aria-colindex="2"]')
    .evaluateAll((cells) => cells.map((cell) => cell.textContent));

const cell = (page: Page, name: string) => page.getByRole('gridcell', { name, exact: true });
const press = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

async function select(page: Page, name: string): Promise<void> {
  await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).click();
}

test('folders without files are listed among the others, in every order', async () => {
  for (const name of ['b/', 'd/deep/', 'c/']) await mark('mixed', name);
  for (const name of ['a/x.txt', 'c/y.txt', 'z.txt']) await putFile(console, 'mixed', name);
  const page = await console.open('#/drives/mixed');
  await becomes(() => shown(page), ['a/', 'b/', 'c/', 'd/', 'z.txt']);
  await page.getByRole('columnheader', { name: /^Name/ }).click();
  await becomes(() => shown(page), ['d/', 'c/', 'b/', 'a/', 'z.txt']);
  await page.getByRole('columnheader', { name: /^Size/ }).click();
  await becomes(() => shown(page), ['a/', 'b/', 'c/', 'd/', 'z.txt']);
  await cell(page, 'd/').dblclick();
  await becomes(() => shown(page), ['deep/']);
  await cell(page, 'deep/').dblclick();
  await page.getByRole('heading', { name: 'The folder is empty' }).waitFor();
});

test('a search finds folders without files, as they come and go', async () => {
  for (const name of ['trips/', '2026/road trip/', '2026/other/']) await mark('searched', name);
  for (const name of ['2026/trip.txt', 'z.txt']) await putFile(console, 'searched', name);
  const page = await console.open('#/drives/searched?find=trip');
  await becomes(() => shown(page), ['2026/road trip/', 'trips/', '2026/trip.txt']);
  await select(page, 'trips/');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('delete');
  await press(page, 'Delete');
  await becomes(() => shown(page), ['2026/road trip/', '2026/trip.txt']);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await becomes(() => shown(page), ['2026/road trip/', 'trips/', '2026/trip.txt']);
  await cell(page, '2026/road trip/').dblclick();
  await page.getByRole('heading', { name: 'The folder is empty' }).waitFor();
});

test('more folders without files than one list has are all shown, and what is below them is passed over', async () => {
  const below = Array.from({ length: 1100 }, (_, n) => `b/${String(n).padStart(4, '0')}/`);
  const waiting = ['a/', 'b/', ...below, 'c/'];
  const work = async () => {
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) await mark('many', name);
  };
  await Promise.all(Array.from({ length: 8 }, work));
  const page = await console.open('#/drives/many');
  await becomes(() => shown(page), ['a/', 'b/', 'c/']);
  await cell(page, 'b/').dblclick();
  await page.getByRole('grid').and(page.locator('[aria-rowcount="1101"]')).waitFor();
});

test('an empty folder is made, entered, renamed and deleted, and its deletion taken back', async () => {
  await putFile(console, 'made', 'a.txt');
  const page = await console.open('#/drives/made');
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'New folder' }).click();
  await page.getByLabel('Name', { exact: true }).fill('drafts');
  await assertAccessible(page, 'a new folder');
  await press(page, 'Create');
  await page.getByRole('heading', { name: 'The folder is empty' }).waitFor();
  assert.deepEqual(await markersOf('made'), ['drafts/']);
  await page.getByRole('link', { name: 'made' }).last().click();
  await becomes(() => shown(page), ['drafts/', 'a.txt']);

  await select(page, 'drafts/');
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Name', { exact: true }).fill('later');
  await press(page, 'Rename');
  await page.getByText('Renamed the empty folder', { exact: true }).waitFor();
  await becomes(() => shown(page), ['later/', 'a.txt']);
  assert.deepEqual(await markersOf('made'), ['later/']);

  await select(page, 'later/');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No file is below.').waitFor();
  await page.getByRole('dialog').getByRole('textbox').fill('delete');
  await press(page, 'Delete');
  await becomes(() => shown(page), ['a.txt']);
  assert.deepEqual(await markersOf('made'), []);
  await page.getByRole('button', { name: 'Undo' }).last().click();
  await becomes(() => shown(page), ['later/', 'a.txt']);
  assert.deepEqual(await markersOf('made'), ['later/']);
});

test('a folder moves and goes with the empty folders below it', async () => {
  for (const name of ['from/', 'from/empty/', 'to/']) await mark('moved', name);
  await putFile(console, 'moved', 'from/a.txt');
  const page = await console.open('#/drives/moved');
  await select(page, 'from/');
  await page.getByRole('button', { name: 'Move' }).click();
  // Folders without files are offered, too.
  await page.getByRole('dialog').getByRole('button', { name: 'to/' }).click();
  await press(page, 'Move');
  await page.getByText('Moved 1 file', { exact: true }).waitFor();
  assert.deepEqual(await markersOf('moved'), ['to/', 'to/from/', 'to/from/empty/']);
  assert.deepEqual(await namesOf(console, 'moved'), ['to/from/a.txt']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Moved 1 file back', { exact: true }).waitFor();
  assert.deepEqual(await markersOf('moved'), ['from/', 'from/empty/', 'to/']);
  await becomes(() => shown(page), ['from/', 'to/']);
  await select(page, 'from/');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('delete');
  await press(page, 'Delete');
  await page.getByText('Deleted 1 file', { exact: true }).waitFor();
  await becomes(() => shown(page), ['to/']);
  assert.deepEqual(await markersOf('moved'), ['to/']);
});
