import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { clipboard, editCell, paste, save, typeJson } from './support/editing.js';
import { people, store } from './support/items.js';

// What a list shows of rows that were changed in it, or beside it.

const console = useConsole({
  async prepare(service) {
    await store(service, 'people', people(60));
    await store(service, 'run', people(6000));
  },
});

const queryFor = (json: string) => `query=${encodeURIComponent(json)}`;

test('an item that is changed beside a list is no row of it that does not match', async () => {
  const page = await console.open(`#/bases/people?${queryFor('[{"age?lt":30}]')}&item=user-000040`);
  await page.getByText('10 matches').waitFor();
  await page.getByRole('tab', { name: 'JSON' }).click();
  await typeJson(page, 'user-000040', '{"key":"user-000040","age":61}');
  const counted = page.waitForResponse((response) => response.url().endsWith('/query/count'));
  await save(page);
  await page.getByText('Saved 1 item').waitFor();
  await (await counted).finished();
  await page.getByText('10 matches').waitFor();
  await becomes(() => page.getByRole('grid').getAttribute('aria-rowcount'), '11');
  // The number would be counted anew, and be wrong, with the next one that is changed.
  await editCell(page, 'age', '29');
  await save(page);
  await page.getByText('Saved 1 item').nth(1).waitFor();
  await page.getByText('10 matches').waitFor();
});

test('many rows that do not match after a change are found with few requests', async () => {
  const items = Array.from({ length: 80 }, (_, n) => `{"key":"k${100 + n}","n":${n % 2}}`);
  await store(console, 'many', items);
  const page = await console.open(`#/bases/many?${queryFor('[{"n":0}]')}`, clipboard);
  await page.getByText('40 matches').waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowRight');
  // All but the first one.
  await page.keyboard.press('ArrowDown');
  await paste(page, '1\n'.repeat(39));
  await page.getByText('39 changes').waitFor();
  let sent = 0;
  page.on('request', (request) => {
    if (/\/(transactions|query|items\/.*)$/.test(request.url())) sent++;
  });
  await save(page);
  await page.getByText('1 match', { exact: true }).waitFor();
  await page.getByRole('row', { name: 'Select k102' }).getByText('no longer matches').waitFor();
  await becomes(() => page.getByRole('row', { name: 'Select k100' }).getByText('no longer').count(), 0);
  // The save, the check of all of them, and one page of those that match.
  assert.equal(sent, 3);
});

test('changed rows with much between them are each compared', async () => {
  const heavy = Array.from({ length: 30 }, (_, n) => `{"key":"m${100 + n}","text":"${'x'.repeat(50_000)}"}`);
  await store(console, 'apart', ['{"key":"a","n":1}', ...heavy, '{"key":"y","n":1}', '{"key":"z","n":1}']);
  const page = await console.open(`#/bases/apart?${queryFor('[{"n?gt":0}]')}`, clipboard);
  await page.getByText('3 matches').waitFor();
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowRight');
  await paste(page, '0\n2\n0\n');
  await page.getByText('3 changes').waitFor();
  await save(page);
  await page.getByText('1 match', { exact: true }).waitFor();
  const marked = async (key: string) =>
    (await page
      .getByRole('row', { name: `Select ${key}` })
      .getByText('no longer matches')
      .count()) > 0;
  await page.getByRole('row', { name: 'Select z' }).getByText('no longer matches').waitFor();
  await becomes(async () => [await marked('a'), await marked('y'), await marked('z')], [true, false, true]);
});

test('a row that no longer matches is not counted where it is no row any more', async () => {
  const page = await console.open(`#/bases/run?${queryFor('[{"active":true}]')}`);
  await page.getByText('4,000 matches').waitFor();
  await editCell(page, 'active', 'false');
  await save(page);
  await page.getByText('no longer matches').waitFor();
  await page.getByText('3,999 matches').waitFor();
  await page.getByRole('button', { name: 'Last items' }).click();
  const last = page.getByRole('row', { name: 'Select user-005999' });
  await last.waitFor();
  await becomes(() => last.getAttribute('aria-rowindex'), '4000');
});

test('a value is shown as a number once its column has mostly numbers', async () => {
  await store(console, 'kinds', ['{"key":"a","n":null}', '{"key":"b","n":null}']);
  const page = await console.open('#/bases/kinds?item=b');
  await page.getByRole('grid').waitFor();
  await editCell(page, 'n', '1');
  await page.getByText('1 change').waitFor();
  await page.getByRole('tab', { name: 'JSON' }).click();
  await typeJson(page, 'b', '{"key":"b","n":2}');
  await save(page);
  await page.getByText('Saved 2 items').waitFor();
  await page.locator('.cell.numeric').nth(1).waitFor();
});
