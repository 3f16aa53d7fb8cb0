import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useConsole } from './support/console.js';
import { putFile } from './support/files.js';

// Parts of the page that are loaded late, from a service that is away or was updated.

const console = useConsole({ prepare: (service) => putFile(service, 'photos', 'a.txt') });

test('a screen that cannot be loaded says so, and appears when the service is back', async () => {
  const page = await console.open();
  const link = page.getByRole('link', { name: 'photos' }).first();
  await link.waitFor();
  await page.route('**/assets/drive-screen*', (route) => route.abort());
  await page.route('**/ready', (route) => route.abort());
  await link.click();
  await page.getByText('The service does not answer.').waitFor();
  await page.unroute('**/ready');
  await page.unroute('**/assets/drive-screen*');
  await page.getByRole('gridcell', { name: 'a.txt', exact: true }).waitFor();
});

test('a dialog that cannot be loaded opens when the service is back', async () => {
  const page = await console.open('#/keys');
  await page.getByText('No keys yet').waitFor();
  await page.route('**/assets/new-name*', (route) => route.abort());
  await page.route('**/ready', (route) => route.abort());
  await page.getByRole('button', { name: 'New base' }).click();
  await page.getByText('The service does not answer.').waitFor();
  await page.unroute('**/ready');
  await page.unroute('**/assets/new-name*');
  await page.getByRole('dialog', { name: 'New base' }).waitFor();
});

test('a page that is older than the service asks for a reload', async () => {
  const page = await console.open();
  const link = page.getByRole('link', { name: 'photos' }).first();
  await link.waitFor();
  await page.route('**/assets/drive-screen*', (route) => route.fulfill({ status: 404, body: 'Not found' }));
  await link.click();
  await page.getByText('The console was updated. Reload the page.').waitFor();
  await page.unroute('**/assets/drive-screen*');
  await page.reload();
  await page.getByRole('gridcell', { name: 'a.txt', exact: true }).waitFor();
  assert.equal(await page.getByText('The console was updated').count(), 0);
});
