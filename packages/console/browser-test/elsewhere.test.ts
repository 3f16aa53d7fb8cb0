import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useConsole } from './support/console.js';
import { editCell, save } from './support/editing.js';
import { store, stored } from './support/items.js';

// What somebody does in another tab.

const console = useConsole();

const items = (name: string) =>
  ['a', 'b', 'c'].map((key) => `{"key":"${key}","n":1,"text":"${name} ${key}"}`);

/** Resolves when the page follows the base. */
function followed(page: Page): Promise<unknown> {
  return page.waitForResponse((response) => response.url().includes('/changes?'));
}

async function open(base: string): Promise<Page> {
  const page = await console.open('', {
    before: async (opened) => {
      following = followed(opened);
    },
  });
  await page.goto(`${console.url}#/bases/${base}`);
  await page.getByText('3 items').waitFor();
  await following;
  return page;
}
let following: Promise<unknown> = Promise.resolve();

test('a change of another tab is shown where the row is, and marked', async () => {
  await store(console, 'two', items('two'));
  const reader = await open('two');
  const writer = await open('two');
  // The mark is there for some seconds only.
  const marked = reader.getByText('changed', { exact: true }).waitFor();
  await editCell(writer, 'n', '7.10');
  await save(writer);
  await writer.getByText('Saved 1 item').waitFor();
  await marked;
  await reader.getByRole('gridcell', { name: '7.10' }).waitFor();
  await reader.getByText('changed', { exact: true }).waitFor({ state: 'detached' });
  assert.equal(await writer.getByText('changed', { exact: true }).count(), 0, "one's own are not marked");
  assert.equal(await reader.getByText('Changed elsewhere').count(), 0);
});

test('what comes and goes moves nothing, and is told at once', async () => {
  await store(console, 'moving', items('moving'));
  const page = await open('moving');
  await console.call('DELETE', '/moving/items/a');
  await page.getByText('deleted', { exact: true }).waitFor();
  await page.getByRole('gridcell', { name: 'moving a' }).waitFor();
  await page.getByText('Changed elsewhere').waitFor();
  await page.getByRole('button', { name: 'Reload' }).click();
  await page.getByText('2 items').waitFor();
  await page.getByText('Changed elsewhere').waitFor({ state: 'detached' });
  await console.call('PUT', '/moving/items', '{"items":[{"key":"d","n":1}]}');
  await page.getByText('Changed elsewhere').waitFor();
});

test('what is staged stays, and its save asks', async () => {
  await store(console, 'staged', items('staged'));
  const page = await open('staged');
  await editCell(page, 'n', '5');
  await console.call('PATCH', '/staged/items/a', '{"set":{"n":6,"text":"theirs"}}');
  await page.getByRole('gridcell', { name: 'theirs' }).waitFor();
  await page.getByRole('gridcell', { name: '5', exact: true }).waitFor();
  await save(page);
  await page.getByRole('dialog', { name: 'Changed by somebody else' }).waitFor();
  assert.equal(await stored(console, 'staged', 'a'), '{"key":"a","n":6,"text":"theirs"}');
});

test('files that another tab stores and deletes come and go', async () => {
  await console.call('POST', '/shared/files?name=in/one.txt', 'one');
  const page = await console.open();
  const following = followed(page);
  await page.goto(`${console.url}#/drives/shared?folder=in/`);
  await page.getByText('one.txt').waitFor();
  await following;
  await console.call('POST', '/shared/files?name=in/two.txt', 'two');
  await page.getByText('two.txt').waitFor();
  await console.call('POST', '/shared/files?name=in/two.txt', 'two and more');
  await page.getByText('12 B').waitFor();
  await console.call('DELETE', '/shared/files', '{"names":["in/one.txt"]}');
  await page.getByText('one.txt').waitFor({ state: 'detached' });
});

test('a page whose tab is hidden follows nothing, and then goes on where it was', async () => {
  await store(console, 'hidden', items('hidden'));
  const page = await open('hidden');
  const become = (state: string) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => value });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  const ended = page.waitForEvent('requestfailed', (request) => request.url().includes('/changes?'));
  await become('hidden');
  await ended;
  await console.call('PATCH', '/hidden/items/b', '{"set":{"text":"while hidden"}}');
  await become('visible');
  await page.getByRole('gridcell', { name: 'while hidden' }).waitFor();
});
