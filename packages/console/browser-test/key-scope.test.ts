import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { namesOf, putFiles } from './support/files.js';
import { store } from './support/items.js';

// What the names and the prefix of a limited key leave of the console.

const console = useConsole({
  async prepare(service) {
    await store(service, 'users', ['{"key":"ada"}']);
    await store(service, 'notes', ['{"key":"team-1","n":1}']);
    await putFiles(service, 'photos', ['team/a.txt', 'other/b.txt']);
  },
});

async function openWith(limits: object, fragment: string): Promise<Page> {
  const answer = await console.call('POST', '/keys', JSON.stringify(limits));
  const { key } = (await answer.json()) as { key: string };
  const page = await console.open(fragment, { isSignedIn: false });
  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation').getByText('Overview').waitFor();
  return page;
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a new base is offered where the key reaches one, and only by a name that it reaches', async () => {
  const one = await openWith({ access: 'write', bases: ['users'] }, '');
  await one.getByRole('link', { name: 'users' }).first().waitFor();
  await becomes(() => one.getByRole('button', { name: /^New (base|drive)$/ }).count(), 0);
  await one.keyboard.press('Control+k');
  await one.getByRole('option', { name: 'Sign out' }).waitFor();
  assert.equal(await one.getByRole('option', { name: /New (base|drive)/ }).count(), 0);

  const many = await openWith({ access: 'write', bases: ['users', 'logs-*'] }, '');
  await button(many, 'New base').click();
  await becomes(() => button(many, 'New drive').count(), 0);
  await many.getByLabel('Name').fill('other');
  await many.getByText('Your key reaches only users, logs-*.').waitFor();
  await becomes(() => button(many, 'Open').isDisabled(), true);
  await many.getByLabel('Name').fill('logs-2026');
  await button(many, 'Open').click();
  await many.getByRole('heading', { level: 1, name: 'logs-2026' }).waitFor();
});

test('with a prefix, a new item gets a random key that begins with it', async () => {
  const page = await openWith({ access: 'write', prefix: 'team-' }, '#/bases/notes');
  await button(page, 'Item').click();
  await page.getByText('gets a random one that begins with team-').waitFor();
  await button(page, 'Add').click();
  await page.getByText('Added 1 item').waitFor();
  const { items } = (await (await console.call('POST', '/notes/query', '{}')).json()) as {
    items: { key: string }[];
  };
  assert.equal(items.length, 2);
  for (const { key } of items) assert.match(key, /^team-./);
});

test('with a prefix, uploads are offered in the folders where their names begin with it', async () => {
  const page = await openWith({ access: 'write', prefix: 'team/' }, '#/drives/photos');
  await page.getByRole('gridcell', { name: 'team/', exact: true }).waitFor();
  await becomes(() => button(page, 'Upload').count(), 0);
  await button(page, 'More').click();
  await becomes(() => page.getByRole('menuitem', { name: 'New folder' }).count(), 0);
  await page.keyboard.press('Escape');
  const file = { name: 'c.txt', mimeType: 'text/plain', buffer: Buffer.from('c') };
  // As if it were dropped.
  await page.getByLabel('Files to upload').setInputFiles(file);
  await page.getByText('Your key reaches only names that begin with team/.').waitFor();

  await page.goto(`${console.url}#/drives/photos?folder=team%2F`);
  await button(page, 'Upload').waitFor();
  await page.getByLabel('Files to upload').setInputFiles(file);
  await page.getByText('1 file uploaded').waitFor();
  assert.deepEqual(await namesOf(console, 'photos'), ['other/b.txt', 'team/a.txt', 'team/c.txt']);
});

test('what the key may not list, it is not offered to make', async () => {
  const page = await openWith({ access: 'read' }, '#/keys');
  await page.getByText('This could not be read').waitFor();
  await becomes(() => button(page, 'New key').count(), 0);
});

test('a link to a file that is gone says so', async () => {
  const page = await console.open('#/drives/photos?folder=team%2F&file=team%2Fgone.txt');
  await page
    .getByText('There is no file team/gone.txt. It was moved or deleted, or it has expired.')
    .waitFor();
  await page.getByRole('gridcell', { name: 'a.txt', exact: true }).waitFor();
  // It is said once, and not of a file that is deleted while it is open.
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('button', { name: 'a.txt', exact: true }).click();
  await page.getByRole('link', { name: 'photos' }).first().click();
  assert.equal(await page.getByText('There is no file').count(), 0);
});
