import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible } from './support/axe.js';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { putFile } from './support/files.js';
import { scrolledSideways } from './support/screens.js';

const many = 450;

const console = useConsole({
  async prepare(service) {
    const put = (name: string, bytes: number, type: string) =>
      putFile(service, 'work', name, { body: 'x'.repeat(bytes), type });
    await put('zeta/inner/deep.txt', 300, 'text/plain');
    await put('zeta/Report.txt', 200, 'text/plain');
    await put('alpha.txt', 30, 'text/plain');
    await put('Beta.csv', 10, 'text/csv');
    await put('music.mp3', 20, 'audio/mpeg');
    await Promise.all(
      Array.from({ length: many }, (_, n) =>
        putFile(service, 'many', `f/${String(n).padStart(4, '0')}.txt`, { body: 'x' }),
      ),
    );
    await putFile(service, 'many', 'f/sub/x.txt', { body: 'x' });
  },
});

/** The names in view, from top to bottom. */
const namesIn = (page: Page) =>
  page.locator('.file-opener').evaluateAll((all) =>
    all
      .map((one) => ({ text: one.textContent ?? '', top: one.getBoundingClientRect().top }))
      .toSorted((a, b) => a.top - b.top)
      .map(({ text }) => text),
  );
const head = (page: Page, name: string) => page.getByRole('columnheader', { name });

test('folders come first, and a click on a column orders by it, the folders still first', async () => {
  const page = await console.open('#/drives/work');
  await page.getByText('4 entries').waitFor();
  await becomes(() => namesIn(page), ['zeta/', 'Beta.csv', 'alpha.txt', 'music.mp3']);
  const orderBy = async (column: string, sort: string, expected: readonly string[]) => {
    await head(page, column).getByRole('button').click();
    await page.locator(`[role=columnheader][aria-sort=${sort}]`, { hasText: column }).waitFor();
    await page.getByText('4 entries').waitFor();
    await becomes(() => namesIn(page), expected);
  };
  await orderBy('Size', 'ascending', ['zeta/', 'Beta.csv', 'music.mp3', 'alpha.txt']);
  await orderBy('Size', 'descending', ['zeta/', 'alpha.txt', 'music.mp3', 'Beta.csv']);
  await orderBy('Type', 'ascending', ['zeta/', 'music.mp3', 'Beta.csv', 'alpha.txt']);
  await orderBy('Name', 'ascending', ['zeta/', 'Beta.csv', 'alpha.txt', 'music.mp3']);
  await orderBy('Name', 'descending', ['zeta/', 'music.mp3', 'alpha.txt', 'Beta.csv']);
  // The order is of the view: a link shows the same.
  await page.reload();
  await page.getByText('4 entries').waitFor();
  await becomes(() => namesIn(page), ['zeta/', 'music.mp3', 'alpha.txt', 'Beta.csv']);
});

test('on a phone, and with tiles, the order is chosen in the menu', async () => {
  const page = await console.open('#/drives/work', { viewport: { width: 390, height: 844 } });
  await page.getByText('4 entries').waitFor();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Largest first' }).click();
  await page.getByText('4 entries').waitFor();
  const cards = await page.locator('.card-key').allTextContents();
  assert.deepEqual(cards, ['zeta/', 'alpha.txt', 'music.mp3', 'Beta.csv']);
});

test('a file that is stored while another order is shown appears in its place', async () => {
  const page = await console.open('#/drives/placed');
  await putFile(console, 'placed', 'a.txt', { body: '1' });
  await putFile(console, 'placed', 'c.txt', { body: '333' });
  await page.goto(`${console.url}#/drives/placed?order=-size`);
  await page.reload();
  await page.getByText('2 entries').waitFor();
  const buffer = Buffer.from('22');
  await page.getByLabel('Files to upload').setInputFiles([{ name: 'b.txt', mimeType: 'text/plain', buffer }]);
  await page.getByText('3 entries').waitFor();
  await becomes(() => namesIn(page), ['c.txt', 'b.txt', 'a.txt']);
});

test('a text is found anywhere in the names of a folder and those below', async () => {
  const page = await console.open('#/drives/work');
  await page.getByText('4 entries').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('ep');
  await page.getByText('2 entries').waitFor();
  await becomes(() => namesIn(page), ['zeta/Report.txt', 'zeta/inner/deep.txt']);
  await page.getByRole('button', { name: 'zeta/inner/deep.txt' }).click();
  await page.getByRole('complementary', { name: 'deep.txt' }).getByText('300 B').waitFor();
  await page.getByRole('searchbox').fill('nowhere');
  await page.getByText('No matches').waitFor();
});

test('on a tablet the head of a folder says where it is, and nothing is cut off', async () => {
  const page = await console.open('#/drives/work?folder=zeta%2Finner%2F', {
    viewport: { width: 768, height: 1024 },
  });
  const place = page.getByRole('heading', { level: 1 });
  await place.waitFor();
  assert.ok(await place.evaluate((path) => path.scrollWidth <= path.clientWidth), 'the whole path is read');
  const scrolled = await scrolledSideways(page);
  assert.deepEqual(
    scrolled.filter((element) => !element.includes('role="grid"')),
    [],
  );
});

test('the size of a folder is added up when it is asked for', async () => {
  const page = await console.open('#/drives/work');
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes('prefix=zeta')) asked++;
  });
  await page.getByText('4 entries').waitFor();
  assert.equal(asked, 0);
  await page.getByRole('button', { name: 'Add up the size of zeta/' }).click();
  await page.getByRole('gridcell', { name: '500 B' }).waitFor();
  assert.equal(asked, 1);
});

test('the end of a large folder is one click away, with its folders still first', async () => {
  const page = await console.open('#/drives/many?folder=f%2F');
  await page.getByRole('button', { name: 'Last entries' }).click();
  await page.getByRole('button', { name: '0449.txt' }).waitFor();
  await page.getByText('451 entries').waitFor();
  await page.getByRole('button', { name: 'First entries' }).click();
  await page.getByRole('button', { name: 'sub/', exact: true }).waitFor();
  await becomes(async () => (await namesIn(page))[0], 'sub/');
});

test('the files before and after an open one are a click away', async () => {
  const page = await console.open('#/drives/work?file=alpha.txt');
  const pane = (name: string) => page.getByRole('complementary', { name });
  await pane('alpha.txt').getByRole('button', { name: 'Next file' }).click();
  await pane('music.mp3').waitFor();
  await becomes(() => page.getByRole('button', { name: 'Next file' }).isDisabled(), true);
  await page.getByRole('button', { name: 'Previous file' }).click();
  await page.getByRole('button', { name: 'Previous file' }).click();
  await pane('Beta.csv').waitFor();
  // A folder is none.
  await becomes(() => page.getByRole('button', { name: 'Previous file' }).isDisabled(), true);
});

test('the folder to move to is chosen by clicks', async () => {
  await putFile(console, 'moved', 'here.txt');
  await putFile(console, 'moved', 'a/b/there.txt');
  const page = await console.open('#/drives/moved');
  await page.getByRole('checkbox', { name: 'Select here.txt' }).click();
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'a/', exact: true }).click();
  await dialog.getByRole('button', { name: 'b/', exact: true }).click();
  await dialog.getByText('No folders in it.').waitFor();
  await assertAccessible(page, 'folder picker');
  await becomes(() => dialog.getByLabel('To the folder').inputValue(), 'a/b/');
  await dialog.getByRole('button', { name: 'Back to a/' }).click();
  await dialog.getByRole('button', { name: 'b/', exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByText('Moved 1 file').waitFor();
  const listed = await (await console.call('GET', '/moved/files')).json();
  assert.deepEqual(listed, { names: ['a/b/there.txt', 'a/here.txt'] });
});

test('a link works until any time that the service allows', async () => {
  const page = await console.open('#/drives/work?file=alpha.txt');
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('The link works for').selectOption({ label: 'Until a date and time' });
  const until = dialog.getByLabel('Until, at most 7 days from now');
  const local = (ms: number) =>
    page.evaluate(
      (at) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16),
      ms,
    );
  await until.fill(await local(Date.now() + 8 * 86_400_000));
  await dialog.getByRole('button', { name: 'Make a link' }).click();
  await dialog.getByText('A link works for at most 7 days.').waitFor();
  const wanted = Date.now() + 50 * 3_600_000;
  await until.fill(await local(wanted));
  await dialog.getByRole('button', { name: 'Make a link' }).click();
  await dialog.getByRole('button', { name: 'Copy the link' }).first().waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'Shared' }).click();
  const links = page.getByRole('region', { name: 'Links' });
  await links.getByRole('link', { name: 'work/alpha.txt' }).waitFor();
  await links.getByText('ends in 2 days').waitFor();
});

test('links are in one list, whoever made them, and each can be ended', async () => {
  const make = async (json: object) => {
    const body = JSON.stringify({ expires_in: 3600, listed: true, ...json });
    const answer = await console.call('POST', '/work/links', body);
    return ((await answer.json()) as { links: { url: string }[] }).links[0]?.url ?? '';
  };
  const read = await make({ method: 'GET', name: 'Beta.csv' });
  const write = await make({ method: 'POST', name: 'zeta/new.txt', max_bytes: 1000 });
  const page = await console.open('#/sharing');
  const links = page.getByRole('region', { name: 'Links' });
  await links.getByRole('link', { name: 'work/Beta.csv' }).waitFor();
  await links.getByText(/upload, up to 1.0 [kK]B/).waitFor();
  await assertAccessible(page, 'listed links');
  await links.getByRole('button', { name: 'End the link to Beta.csv' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End the link' }).click();
  await links.getByRole('link', { name: 'work/Beta.csv' }).waitFor({ state: 'detached' });
  assert.equal((await fetch(read)).status, 403);
  assert.equal((await fetch(write, { method: 'POST', body: 'x' })).status, 201);
});

test('everything that is public is in one list, from which it is ended', async () => {
  await console.call('PUT', '/work/public', '{"prefixes":["zeta/"]}');
  await console.call('PUT', '/many/public', '{"prefixes":["f/"]}');
  const page = await console.open('#/sharing');
  const folders = page.getByRole('region', { name: 'Public folders' });
  await folders.getByRole('link', { name: 'many/f/' }).waitFor();
  await folders.getByRole('link', { name: 'work/zeta/' }).waitFor();
  await assertAccessible(page, 'shared');
  await folders.getByRole('button', { name: 'Stop sharing zeta/ of work' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop sharing' }).click();
  await folders.getByRole('link', { name: 'work/zeta/' }).waitFor({ state: 'detached' });
  const left = await (await console.call('GET', '/work/public')).json();
  assert.deepEqual((left as { prefixes: string[] }).prefixes, []);
});
