import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible } from './support/axe.js';
import { becomes } from './support/becomes.js';
import { key, useConsole } from './support/console.js';
import { contentOf, putFile, putFiles } from './support/files.js';
import { landscape } from './support/landscape.js';

const console = useConsole();
const tile = (page: Page, name: string) => page.getByRole('gridcell', { name, exact: false });
const drawn = (page: Page) => page.locator('.thumbnail.is-drawn');
const showTiles = (page: Page) => page.getByRole('button', { name: 'Show tiles' }).click();
const activeName = (page: Page) =>
  page.evaluate(() => {
    const id = document.querySelector('[role=grid]')?.getAttribute('aria-activedescendant') ?? '';
    return document.getElementById(id)?.querySelector('.tile-name')?.textContent;
  });

test('images of a folder are shown as tiles, and what is no image keeps its icon', async () => {
  const photo = (seed: number) => ({ body: landscape({ seed, width: 300, height: 200 }), type: 'image/png' });
  for (const seed of [1, 2, 3]) await putFile(console, 'photos', `photo ${seed}.png`, photo(seed));
  await putFile(console, 'photos', 'a note.txt');
  await putFile(console, 'photos', 'folder/below.txt');
  await putFile(console, 'photos', 'not an image.png', {
    body: '<script>alert(1)</script>',
    type: 'image/png',
  });
  const page = await console.open('#/drives/photos');
  const others: string[] = [];
  page.on('requestfinished', (request) => {
    if (/files\/download.*not/.test(request.url())) others.push(request.url());
  });
  await showTiles(page);
  await drawn(page).nth(2).waitFor();
  await becomes(() => others.length, 1, 'what is no image was read, too');
  await becomes(() => drawn(page).count(), 3);
  await assertAccessible(page, 'tiles');

  // A thumbnail that was made is not read again, nor is what is no image.
  let reads = 0;
  page.on('request', (request) => {
    if (request.url().includes('/files/download')) reads++;
  });
  await page.getByRole('button', { name: 'folder/' }).click();
  await tile(page, 'below.txt').waitFor();
  await page.goBack();
  await drawn(page).nth(2).waitFor();
  await page.getByRole('button', { name: 'folder/' }).click();
  await tile(page, 'below.txt').waitFor();
  assert.equal(reads, 0);

  // Who signs in next does not get what was read before.
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'photos' }).first().click();
  await drawn(page).nth(2).waitFor();
  assert.ok(reads >= 3, `${reads} files were read`);

  // The choice stays.
  await page.reload();
  await tile(page, 'a note.txt').waitFor();
  await page.getByRole('button', { name: 'Show a list' }).click();
  await page.getByRole('columnheader', { name: 'Modified' }).waitFor();
});

test('with the keyboard alone, tiles are reached, selected, opened and deleted', async () => {
  const names = Array.from({ length: 40 }, (_, n) => `file ${String(n).padStart(2, '0')}`);
  const shown = ['in/', ...names];
  await putFiles(console, 'keys', [...names, 'in/deep']);
  const page = await console.open('#/drives/keys', { viewport: { width: 900, height: 600 } });
  await showTiles(page);
  await page.getByRole('grid').focus();
  const perRow = Number(await page.getByRole('grid').getAttribute('aria-colcount'));
  assert.ok(perRow > 1);
  await page.keyboard.press('ArrowDown');
  await becomes(() => activeName(page), shown[perRow]);
  // To the left of the first tile of a row is the last one of the row before.
  await page.keyboard.press('ArrowLeft');
  await becomes(() => activeName(page), shown[perRow - 1]);
  await page.keyboard.press('Control+End');
  await becomes(() => activeName(page), 'file 39');
  await page.keyboard.press('Control+Home');
  await becomes(() => activeName(page), 'in/');
  await page.keyboard.press('Enter');
  await tile(page, 'deep').waitFor();
  await page.keyboard.press('Backspace');
  await tile(page, 'file 00').first().waitFor();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Space');
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByText('2 selected').waitFor();
  await page.keyboard.press('Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 2 files').waitFor();
  assert.deepEqual(Object.keys(await contentOf(console, 'keys')), [...names.slice(2), 'in/deep']);
});

test('the tiles of a folder have the focus as soon as they are shown, so that no key is lost', async () => {
  await putFiles(console, 'focused', ['a', 'in/deep']);
  const page = await console.open('#/drives/focused');
  await showTiles(page);
  await tile(page, 'in/').waitFor();
  await page.getByRole('grid').focus();
  /** Whether the grid has the focus at the moment at which it has a tile of this name; what has it if no such tile comes. */
  const isFocusedWith = (name: string) =>
    page.evaluate(
      (wanted) =>
        new Promise<boolean | string>((resolve) => {
          const look = new MutationObserver(() => {
            const grid = document.querySelector('[role=grid]');
            if (grid?.querySelector('.tile-name')?.textContent !== wanted) return;
            look.disconnect();
            resolve(document.activeElement === grid);
          });
          look.observe(document.body, { subtree: true, childList: true, characterData: true });
          setTimeout(
            () => resolve(`${location.hash} ${document.activeElement?.outerHTML.slice(0, 200)}`),
            30_000,
          );
        }),
      name,
    );
  for (const [key, name] of [
    ['Enter', 'deep'],
    ['Backspace', 'in/'],
  ] as const) {
    const isFocused = isFocusedWith(name);
    await page.keyboard.press(key);
    assert.equal(await isFocused, true, name);
  }
});

test('with the pointer, tiles are selected one by one and by ranges, and the keyboard goes on from there', async () => {
  await putFiles(console, 'clicked', ['a', 'b', 'c', 'd', 'e', 'in/deep']);
  const page = await console.open('#/drives/clicked');
  await showTiles(page);
  const picture = (name: string) =>
    page.getByRole('gridcell', { name: `Select ${name}` }).locator('.tile-picture');
  const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
  const selected = async (...names: readonly string[]) => {
    await page.getByText(`${names.length} selected`).waitFor();
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await becomes(() => box(name).isChecked(), names.includes(name), name);
  };
  await picture('b').click();
  await picture('d').click({ modifiers: ['Shift'] });
  await selected('b', 'c', 'd');
  await page.keyboard.press('Shift+ArrowRight');
  await selected('b', 'c', 'd', 'e');
  await picture('c').click({ modifiers: ['Control'] });
  await selected('b', 'd', 'e');
  // A click with Ctrl on a box or a name selects, too, and opens nothing.
  await box('e').click({ modifiers: ['Control'] });
  await selected('b', 'd');
  await page.getByRole('button', { name: 'a', exact: true }).click({ modifiers: ['Control'] });
  await selected('a', 'b', 'd');
  assert.doesNotMatch(page.url(), /file=/);
  // What was opened with a click is where the keys go on.
  await page.getByRole('button', { name: 'c', exact: true }).click();
  await page.getByRole('complementary', { name: 'c', exact: true }).waitFor();
  await page.keyboard.press('ArrowRight');
  await becomes(() => activeName(page), 'd');
});

test('of a large folder, only the tiles in view are drawn and only their images read', async () => {
  const image = await landscape({ width: 30, height: 20 }).arrayBuffer();
  const names = Array.from({ length: 1500 }, (_, n) => `${String(n).padStart(4, '0')}.png`);
  await putFiles(console, 'many', names, { body: new Blob([image]), type: 'image/png' });
  const page = await console.open('#/drives/many');
  let reads = 0;
  page.on('request', (request) => {
    if (request.url().includes('/files/download')) reads++;
  });
  await showTiles(page);
  await drawn(page).first().waitFor();
  await page.getByRole('grid').focus();
  // Each time it goes to the end of what is loaded, and more is loaded then.
  while (!(await tile(page, '1499.png').isVisible())) await page.keyboard.press('Control+End');
  await drawn(page).first().waitFor();
  assert.ok((await page.locator('.tile').count()) < 200);
  assert.ok(reads < 300, `${reads} images were read`);
  const inOrder = await page.locator('.tile-name').allTextContents();
  assert.deepEqual(inOrder, [...inOrder].sort());
});
