import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { oddItems, people, store, stored } from './support/items.js';

const console = useConsole({
  async prepare(service) {
    await store(service, 'users', people(5000));
    await store(service, 'odd', oddItems);
    await store(service, 'short', people(90));
  },
});

test('a base is chosen in the sidebar, and scrolling reads all of its items', async () => {
  const page = await console.open();
  await page.getByRole('link', { name: 'users' }).first().click();
  await page.getByText('user-000000').waitFor();
  await page.getByText('5,000 items').waitFor();

  const loaded = () => page.evaluate(() => document.querySelector('.screen-foot')?.textContent ?? '');
  while ((await loaded()) !== '5,000 loaded') {
    await page.evaluate(() => {
      const read = document.querySelector('.screen-foot')?.textContent?.replace(/,| .*/g, '') ?? '';
      document.querySelector('.grid')?.scrollTo(0, (Number(read) - 40) * 32);
    });
    await page.waitForTimeout(20);
  }
  await page.getByRole('grid').focus();
  await page.keyboard.press('Control+ArrowDown');
  await page.getByText('user-004999').waitFor();
  const drawn = await page.getByRole('row').count();
  assert.ok(drawn < 80, `${drawn} rows are in the document`);
});

test('on paper is the whole table, with all rows and columns, and afterwards the screen is as before', async () => {
  const page = await console.open('#/bases/short');
  await page.getByText('90 items').waitFor();
  const columns = () => page.getByRole('columnheader').count();
  const rows = () => page.getByRole('row').count();
  const onScreen = [await rows(), await columns()];
  const pdf = (await page.pdf({ format: 'A4' })).toString('latin1');
  assert.ok((pdf.match(/\/Type \/Page\b/g)?.length ?? 0) > 3, 'the rows that are out of view are printed');
  await becomes(async () => [await rows(), await columns()], onScreen);

  await page.setViewportSize({ width: 720, height: 1000 });
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await becomes(async () => [await rows(), await columns()], [91, 9]);
  const cut = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll('.grid-row')].map((row) => row.getBoundingClientRect());
    const cells = [...document.querySelectorAll('.grid-row .cell:not(.box)')];
    return {
      rows: boxes.filter(({ bottom }, at) => bottom > (boxes[at + 1]?.top ?? bottom) + 1).length,
      cells: cells.filter((cell) => cell.getBoundingClientRect().right > innerWidth).length,
    };
  });
  assert.deepEqual(cut, { rows: 0, cells: 0 });
});

test('where fingers point, rows and the heads of columns are 44 pixels high', async () => {
  const page = await console.open('#/bases/short', {
    viewport: { width: 1024, height: 768 },
    isMobile: true,
    hasTouch: true,
  });
  await page.getByText('user-000001').waitFor();
  const heights = await page
    .getByRole('row')
    .evaluateAll((rows) =>
      rows
        .slice(0, 4)
        .map((row, at) => [
          row.getBoundingClientRect().height,
          at === 0
            ? 44
            : Math.round(row.getBoundingClientRect().top - (rows[at - 1]?.getBoundingClientRect().top ?? 0)),
        ]),
    );
  assert.deepEqual(
    heights,
    Array.from({ length: 4 }, () => [44, 44]),
  );
});

test('a click on a column sorts, and the address shows the same to another tab', async () => {
  const page = await console.open('#/bases/users');
  await page.getByRole('columnheader', { name: 'age' }).click();
  await page.getByRole('columnheader', { name: 'age' }).click();
  await page.waitForURL(/order=-age/);
  await page.locator('[role=columnheader][aria-sort=descending]').waitFor();
  await page.getByRole('gridcell', { name: '79', exact: true }).first().waitFor();

  const other = await console.open(new URL(page.url()).hash);
  await other.locator('[role=columnheader][aria-sort=descending]').waitFor();
  await other.getByRole('gridcell', { name: '79', exact: true }).first().waitFor();
});

test('odd names and values are shown as text, and looking at them changes nothing', async () => {
  const before = await Promise.all(oddKeys.map((key) => stored(console, 'odd', key)));
  const page = await console.open('#/bases/odd');
  await page.getByRole('columnheader', { name: '<img src=x onerror=alert(2)>' }).waitFor();
  await page.getByText('<script>alert(3)</script>').waitFor();
  await becomes(() => page.locator('img').count(), 0);
  assert.deepEqual(await Promise.all(oddKeys.map((key) => stored(console, 'odd', key))), before);
});

const oddKeys = oddItems.map((item) => (JSON.parse(item) as { key: string }).key);

test('selected items are deleted, and put back as they were', async () => {
  await store(console, 'exact', oddItems);
  const before = await stored(console, 'exact', 'exact');
  const page = await console.open('#/bases/exact');
  await page.getByRole('checkbox', { name: 'Select exact' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Deleted 1 item').waitFor();
  assert.equal((await console.call('GET', '/exact/items/exact')).status, 404);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Put back 1 item').waitFor();
  assert.equal(await stored(console, 'exact', 'exact'), before);
});
