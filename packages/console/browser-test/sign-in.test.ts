import assert from 'node:assert/strict';
import { test } from 'node:test';
import { key, useConsole } from './support/console.js';

const console = useConsole();

test('a wrong key is refused with a message, a right one opens the project, and signing out forgets it', async () => {
  const page = await console.open('', { isSignedIn: false });
  await page.getByLabel('Key').waitFor();
  assert.equal(await page.title(), 'Basedrive');
  // The field has the focus.
  await page.keyboard.type('demo_wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('This key is not valid.').waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);

  await page.getByLabel('Key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'demo' }).waitFor();
  const places = await page.evaluate(() => ({
    session: Object.values(sessionStorage),
    local: Object.values(localStorage).join(),
    cookie: document.cookie,
    address: location.href,
  }));
  assert.deepEqual(places.session, [key]);
  assert.ok(!`${places.local}${places.cookie}${places.address}`.includes('s3cret'));

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Key').waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});
