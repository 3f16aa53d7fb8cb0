import assert from 'node:assert/strict';
import { test } from 'node:test';
import { becomes } from './support/becomes.js';
import { cellAt, drag, dragCells, middleOf, selectedCells } from './support/cells.js';
import { useConsole } from './support/console.js';
import { clipboard, paste, save } from './support/editing.js';
import { people, store, stored } from './support/items.js';

const rows = ['r1', 'r2', 'r3', 'r4'];
const table = rows.map((key, n) => `{"key":"${key}","a":${n + 1}.50,"b":${n + 10},"c":"text ${n + 1}"}`);

const console = useConsole({
  async prepare(service) {
    await store(service, 'users', people(300));
    for (const base of ['keys', 'mouse', 'cut', 'fill', 'tile', 'typed', 'exact', 'undo'])
      await store(service, base, table);
  },
});

const itemsOf = (base: string) => Promise.all(rows.map((key) => stored(console, base, key)));

test('cells are selected with Shift and the arrow keys, and screen readers are told how many', async () => {
  const page = await console.open('#/bases/keys');
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowRight');
  await page.getByRole('status').filter({ hasText: '2 rows × 2 columns' }).waitFor();
  await becomes(() => selectedCells(page), 4);
  await page.getByText('Sum 25 · Average 6.25').waitFor();
  await becomes(() => page.getByText('selected').count(), 0, 'no row is selected');

  await page.keyboard.press('Shift+ArrowUp');
  await becomes(() => selectedCells(page), 2);
  await page.keyboard.press('Control+Shift+End');
  await page.getByText('4 rows × 3 columns').waitFor();
  await page.keyboard.press('Escape');
  await becomes(() => selectedCells(page), 0);
  const active = await page.getByRole('grid').getAttribute('aria-activedescendant');
  await becomes(() => cellAt(page, 1, 2).getAttribute('id'), active, 'the active cell is where it was');
});

test('cells are selected by dragging, beyond the edge, too, and by a click with Shift', async () => {
  const page = await console.open('#/bases/users');
  await page.getByText('300 items').waitFor();
  await dragCells(page, [2, 2], [4, 3]);
  await page.getByText('3 rows × 2 columns').waitFor();
  await becomes(() => selectedCells(page), 6);
  await cellAt(page, 6, 4).click({ modifiers: ['Shift'] });
  await page.getByText('5 rows × 3 columns').waitFor();
  await cellAt(page, 1, 2).click();
  await becomes(() => selectedCells(page), 0);

  const from = await middleOf(page, 2, 2);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x, 795, { steps: 4 });
  await cellAt(page, 60, 2).waitFor();
  await page.mouse.up();
  assert.ok((await selectedCells(page)) > 10);
  await becomes(() => page.evaluate(() => String(getSelection())), '');
});

test('a range is copied with its types, and as spreadsheets read it', async () => {
  const odd = String.raw`{"key":"a","n":1234567890123.4567,"s":"tab\there","q":"say \"hi\"\nthere","z":"007","f":"=1+1 <b>"}`;
  await store(console, 'copied', [odd, '{"key":"b","n":1,"s":"x","q":"x","z":"x","f":"x"}']);
  const page = await console.open('#/bases/copied', clipboard);
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+End');
  await page.keyboard.press('Control+c');
  const [text, html] = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const read = async (type: string) => (await item?.getType(type))?.text();
    return [await read('text/plain'), await read('text/html')];
  });
  assert.equal(text, '1234567890123.4567\t"tab\there"\t"say ""hi""\nthere"\t007\t=1+1 <b>');
  assert.match(html ?? '', /<td[^>]*mso-number-format[^>]*>007<\/td>/);
  assert.match(html ?? '', /<td[^>]*mso-number-format[^>]*>1234567890123\.4567<\/td>/);
  assert.match(html ?? '', /=1\+1 &lt;b&gt;/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Control+v');
  await page.getByText('5 changes').waitFor();
  await save(page);
  await page.getByText('Saved 1 item').waitFor();
  assert.equal(await stored(console, 'copied', 'b'), odd.replace('"a"', '"b"'));
});

test('quotes, tabs and line breaks in cells of a spreadsheet are pasted as they are', async () => {
  await store(console, 'quoted', ['{"key":"a","s":"x","t":"x"}', '{"key":"b","s":"x","t":"x"}']);
  const page = await console.open('#/bases/quoted', clipboard);
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowRight');
  await paste(page, '"two\nlines"\t"a ""word"""\r\n5" pipe\t"tab\tin it"\r\n');
  await page.getByText('4 changes').waitFor();
  await save(page);
  await page.getByText('Saved 2 items').waitFor();
  assert.equal(
    await stored(console, 'quoted', 'a'),
    String.raw`{"key":"a","s":"two\nlines","t":"a \"word\""}`,
  );
  assert.equal(await stored(console, 'quoted', 'b'), String.raw`{"key":"b","s":"5\" pipe","t":"tab\tin it"}`);
});

test('what is cut is gone, and one step back brings all of it back', async () => {
  const page = await console.open('#/bases/cut', clipboard);
  await page.getByRole('grid').waitFor();
  await dragCells(page, [1, 2], [2, 3]);
  await page.keyboard.press('Control+x');
  await page.getByText('4 changes').waitFor();
  await page.keyboard.press('Control+z');
  await page.getByText('4 changes').waitFor({ state: 'detached' });
  await cellAt(page, 3, 2).click();
  await page.keyboard.press('Control+v');
  await page.getByText('4 changes').waitFor();
  await save(page);
  await page.getByText('Saved 2 items').waitFor();
  const after = [...table];
  after[2] = '{"key":"r3","a":1.50,"b":10,"c":"text 3"}';
  after[3] = '{"key":"r4","a":2.50,"b":11,"c":"text 4"}';
  assert.deepEqual(await itemsOf('cut'), after);
});

test('Delete removes the values of the selected cells, and never a key', async () => {
  const page = await console.open('#/bases/undo');
  await page.getByRole('grid').waitFor();
  await dragCells(page, [2, 1], [3, 2]);
  await page.keyboard.press('Delete');
  await page.getByText('2 changes').waitFor();
  await page.getByText('2 keys left').waitFor();
  await save(page);
  await page.getByText('Saved 2 items').waitFor();
  assert.equal(await stored(console, 'undo', 'r2'), '{"key":"r2","b":11,"c":"text 2"}');
  await page.keyboard.press('Control+z');
  await page.getByText('Undid the changes').waitFor();
  assert.equal((await itemsOf('undo')).length, 4);
});

test('values are filled down and to the right by keys, and by the handle', async () => {
  const page = await console.open('#/bases/fill');
  await page.getByRole('grid').waitFor();
  await dragCells(page, [1, 2], [3, 2]);
  await page.keyboard.press('Control+d');
  await page.getByText('2 changes').waitFor();
  await dragCells(page, [4, 2], [4, 3]);
  await page.keyboard.press('Control+r');
  await page.getByText('3 changes').waitFor();

  await cellAt(page, 1, 4).click();
  const handle = await page.locator('.fill-handle').boundingBox();
  assert.ok(handle !== null);
  await drag(page, { x: handle.x + 8, y: handle.y + 8 }, await middleOf(page, 4, 4));
  await page.getByText('6 changes').waitFor();
  await page.keyboard.press('Control+z');
  await page.getByText('3 changes').waitFor();
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await page.getByText('changes').first().waitFor({ state: 'detached' });

  await cellAt(page, 2, 3).click();
  await page.keyboard.press('Control+d');
  await page.getByText('1 change', { exact: true }).waitFor();
  await save(page);
  await page.getByText('Saved 1 item').waitFor();
  assert.deepEqual(await itemsOf('fill'), [
    table[0],
    '{"key":"r2","a":2.50,"b":10,"c":"text 2"}',
    ...table.slice(2),
  ]);
});

test('the handle continues numbers, dates, months and numbered texts, and repeats what is no series', async () => {
  const day = (n: number) => Date.UTC(2026, 2, 6 + n, 5) / 1000;
  const begun = [
    `{"key":"r1","n":1.50,"at":${day(0)},"month":"2026-01-31","room":"Room 08","odd":1}`,
    `{"key":"r2","n":1.25,"at":${day(1)},"month":"2026-02-28","room":"Room 09","odd":"x"}`,
  ];
  const others = ['r3', 'r4'].map((key) => `{"key":"${key}","n":0,"at":0,"month":"","room":"","odd":0}`);
  await store(console, 'series', [...begun, ...others]);
  const page = await console.open('#/bases/series', { timezoneId: 'America/New_York' });
  await page.getByRole('grid').waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByLabel('Show at as').selectOption({ label: 'Date, seconds' });
  await page.keyboard.press('Escape');
  await dragCells(page, [1, 2], [2, 6]);
  await page.getByText('2 rows × 5 columns').waitFor();
  const handle = await page.locator('.fill-handle').boundingBox();
  assert.ok(handle !== null);
  await drag(page, { x: handle.x + 8, y: handle.y + 8 }, await middleOf(page, 4, 6));
  await page.getByText('10 changes').waitFor();
  await save(page);
  await page.getByText('Saved 2 items').waitFor();
  // The clocks of New York are put forward in the night before the fourth day.
  const fourth = day(3) - 3600;
  assert.equal(
    await stored(console, 'series', 'r3'),
    `{"key":"r3","n":1.00,"at":${day(2)},"month":"2026-03-31","room":"Room 10","odd":1}`,
  );
  assert.equal(
    await stored(console, 'series', 'r4'),
    `{"key":"r4","n":0.75,"at":${fourth},"month":"2026-04-30","room":"Room 11","odd":"x"}`,
  );
});

test('with Ctrl the handle repeats what it would continue', async () => {
  const begun = ['{"key":"r1","n":1}', '{"key":"r2","n":2}', '{"key":"r3","n":0}', '{"key":"r4","n":0}'];
  await store(console, 'repeated', begun);
  const page = await console.open('#/bases/repeated');
  await page.getByRole('grid').waitFor();
  for (const [isRepeated, third, fourth] of [
    [false, 3, 4],
    [true, 1, 2],
  ] as const) {
    await dragCells(page, [1, 2], [2, 2]);
    await page.getByText('2 rows × 1 column').waitFor();
    const handle = await page.locator('.fill-handle').boundingBox();
    assert.ok(handle !== null);
    if (isRepeated) await page.keyboard.down('Control');
    await drag(page, { x: handle.x + 8, y: handle.y + 8 }, await middleOf(page, 4, 2));
    if (isRepeated) await page.keyboard.up('Control');
    await becomes(() => cellAt(page, 3, 2).textContent(), String(third));
    await becomes(() => cellAt(page, 4, 2).textContent(), String(fourth));
    await page.keyboard.press('Control+z');
    await becomes(() => cellAt(page, 4, 2).textContent(), '0');
  }
});

test('one value is pasted on all selected cells, and typed in all of them with Ctrl Enter', async () => {
  const page = await console.open('#/bases/tile', clipboard);
  await page.getByRole('grid').waitFor();
  await dragCells(page, [1, 2], [4, 3]);
  await paste(page, '7.00');
  await page.getByText('8 changes').waitFor();
  await page.keyboard.type('8');
  await page.keyboard.press('Control+Enter');
  await save(page);
  await page.getByText('Saved 4 items').waitFor();
  assert.equal(await stored(console, 'tile', 'r4'), '{"key":"r4","a":8,"b":8,"c":"text 4"}');
});

test('a pasted text has the type of its cell or column, and what has no place is told', async () => {
  await store(console, 'types', ['{"key":"a","n":1,"s":"x","on":true}', '{"key":"b","on":null}']);
  const page = await console.open('#/bases/types', clipboard);
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowRight');
  await paste(page, 'none\t10\tFALSE\n2.0\t20\tTRUE\n3\t30\ttrue');
  await page.getByText('Left out 1 row beyond the last loaded item. 1 text in columns of numbers').waitFor();
  await save(page);
  await page.getByText('Saved 2 items').waitFor();
  assert.equal(await stored(console, 'types', 'a'), '{"key":"a","n":"none","s":"10","on":false}');
  assert.equal(await stored(console, 'types', 'b'), '{"key":"b","on":true,"n":2.0,"s":"20"}');
});

test('a key that may only read copies, and changes nothing', async () => {
  const made = await console.call('POST', '/keys', '{"name":"reader","access":"read"}');
  const { key: reader } = (await made.json()) as { key: string };
  const page = await console.open('#/bases/keys', {
    ...clipboard,
    before: (opened) =>
      opened.addInitScript((value) => sessionStorage.setItem('basedrive-key', value), reader),
  });
  await page.getByText('read-only').first().waitFor();
  await dragCells(page, [1, 2], [2, 3]);
  await page.keyboard.press('Control+c');
  await becomes(() => page.evaluate(() => navigator.clipboard.readText()), '1.50\t10\n2.50\t11');
  for (const key of ['Delete', 'Control+v', 'Control+x', 'Control+d']) await page.keyboard.press(key);
  await becomes(() => page.locator('.staged').count(), 0);
  await becomes(() => page.locator('.fill-handle').count(), 0);
});

test('the average of large numbers has all their digits', async () => {
  await store(console, 'money', ['{"key":"a","n":1234567.89}', '{"key":"b","n":1234567.92}']);
  const page = await console.open('#/bases/money');
  await page.getByRole('grid').focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByText('Sum 2469135.81 · Average 1234567.905').waitFor();
});
