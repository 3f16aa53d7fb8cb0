import assert from 'node:assert/strict';
import { test } from 'node:test';
import { key, useConsole } from './support/console.js';
import { store } from './support/items.js';

const console = useConsole({
  async prepare(service) {
    const long = 'x'.repeat(200);
    await store(service, 'odd', [
      '{"key":"a","text":"","n":1}',
      `{"key":"b","text":"${long}","n":2," ":"spaces"}`,
    ]);
    await fetch(`${service.url}v1/demo/photos/files?name=broken.png`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'image/png' },
      body: 'no image',
    });
  },
});

test('an empty string moves no other cell of its row, however wide its column is', async () => {
  const page = await console.open('#/bases/odd');
  await page.getByRole('grid').waitFor();
  const head = page.getByRole('columnheader', { name: /^text/ });
  const box = await head.locator('.resize-handle').boundingBox();
  assert.ok(box !== null);
  await page.mouse.move(box.x + 4, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + 250, box.y + 10, { steps: 4 });
  await page.mouse.up();
  const left = async (row: number) => {
    const cell = page.locator(`[data-row="${row}"] [role=gridcell][aria-colindex="4"]`);
    return Math.round((await cell.boundingBox())?.x ?? -1);
  };
  assert.equal(await left(0), await left(1));
});

test('an attribute whose name is a space has a name that one can read', async () => {
  const page = await console.open('#/bases/odd?item=b');
  await page.getByRole('textbox', { name: '" "', exact: true }).waitFor();
  await page.locator('.item-field-name').getByText('" "').waitFor();
});

test('a broken image is said to be none', async () => {
  const page = await console.open('#/drives/photos?file=broken.png');
  await page.getByText('These bytes are no image that a browser can show.').waitFor();
  assert.equal(await page.locator('img.preview-media').count(), 0);
});

test('a key is taken with the quotes around it', async () => {
  const page = await console.open('', { isSignedIn: false });
  await page.getByLabel('Key').fill(`"${key}"`);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'demo' }).waitFor();
  assert.deepEqual(await page.evaluate(() => Object.values(sessionStorage)), [key]);
});
