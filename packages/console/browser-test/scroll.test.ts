import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { useConsole } from './support/console.js';
import { putFiles } from './support/files.js';
import { people, store } from './support/items.js';

// What scrolling costs, in numbers that do not depend on the speed of the machine.

const rowHeight = 32;
const itemCount = 3000;

const console = useConsole({
  async prepare(service) {
    const items = people(itemCount);
    await store(service, 'people', items);
    await putFiles(
      service,
      'files',
      Array.from({ length: 900 }, (_, n) => `file-${String(n).padStart(4, '0')}.txt`),
    );
  },
});

interface Changes {
  /** Rows that came into the document. */
  readonly added: number;
  /** Changes of rows that were there before and stayed. */
  readonly inRowsThatStay: number;
}

/** Notes what changes in the grid from now on. */
async function watchRows(page: Page): Promise<() => Promise<Changes>> {
  const handle = await page.evaluateHandle(() => {
    const fresh = new WeakSet<Element>();
    const seen = { added: 0, inRowsThatStay: 0 };
    const note = (records: readonly MutationRecord[]) => {
      for (const { type, target, addedNodes } of records) {
        const body = target instanceof Element && target.matches('.grid-body');
        for (const node of body && type === 'childList' ? addedNodes : []) {
          if (!(node instanceof Element) || fresh.has(node)) continue;
          fresh.add(node);
          seen.added++;
        }
        const row = (target instanceof Element ? target : target.parentElement)?.closest(
          '.grid-body [role=row]',
        );
        if (row !== null && row !== undefined && !fresh.has(row)) seen.inRowsThatStay++;
      }
    };
    const observer = new MutationObserver(note);
    const grid = document.querySelector('.grid');
    if (grid === null) throw new Error('there is no grid');
    observer.observe(grid, { subtree: true, childList: true, attributes: true, characterData: true });
    return { observer, note, seen };
  });
  return () =>
    handle.evaluate(({ observer, note, seen }) => {
      note(observer.takeRecords());
      observer.disconnect();
      return seen;
    });
}

/** Counts how often the page makes a cell, or the box of a row: the calls of the functions that do. */
async function countCells(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return async () => {
    const { result } = await session.send('Profiler.takePreciseCoverage');
    await session.detach();
    let count = 0;
    for (const { url, functions } of result) {
      if (!url.includes('/assets/index')) continue;
      const source = await (await fetch(url)).text();
      const makers = functions
        .flatMap(({ ranges }) => ranges.slice(0, 1))
        .filter(({ startOffset, endOffset }) => source.slice(startOffset, endOffset).includes('gridcell'));
      for (const one of makers) {
        const isOuter = makers.some(
          (other) =>
            other !== one && other.startOffset >= one.startOffset && other.endOffset <= one.endOffset,
        );
        if (!isOuter) count += one.count;
      }
    }
    return count;
  };
}

interface TraceEvent {
  readonly name: string;
  readonly args?: { readonly beginData?: { readonly stackTrace?: unknown } };
}

/** Counts the layouts that scripts wait for while something is done. */
async function countForcedLayouts(page: Page, act: () => Promise<void>): Promise<number> {
  const browser = page.context().browser() as Browser;
  const categories = ['devtools.timeline', 'disabled-by-default-devtools.timeline.stack'];
  await browser.startTracing(page, { categories });
  await act();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: readonly TraceEvent[];
  };
  const layouts = traceEvents.filter(({ name }) => name === 'Layout');
  assert.ok(layouts.length > 0, 'the trace has the layouts');
  return layouts.filter(({ args }) => args?.beginData?.stackTrace !== undefined).length;
}

const nextFrame = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
const scrollTop = (page: Page) => page.evaluate(() => document.querySelector('.grid')?.scrollTop ?? 0);

/** Turns the wheel, by at most some rows in a frame, and waits until the page has come to rest. */
async function turnWheel(page: Page, times: number, by: number): Promise<void> {
  await page.getByRole('grid').hover();
  for (let n = 0; n < times; n++) {
    await page.mouse.wheel(0, by);
    await nextFrame(page);
  }
  for (let before = -1; before !== (await scrollTop(page)); ) {
    before = await scrollTop(page);
    await page.waitForTimeout(150);
  }
}

/** Reads so many rows, and goes back to the first one. */
async function load(page: Page, rows: number): Promise<void> {
  await page.waitForFunction(
    (height) => {
      const grid = document.querySelector('.grid');
      if (grid === null) return false;
      if (grid.scrollHeight < height) grid.scrollTop = grid.scrollHeight;
      return grid.scrollHeight >= height;
    },
    rows * rowHeight,
    { polling: 50 },
  );
  await page.evaluate(() => document.querySelector('.grid')?.scrollTo(0, 0));
  await page.locator('.grid-body [aria-rowindex="2"]').waitFor();
  await hasSettled(page);
}

/** Resolves when nothing of the grid has changed for some frames: a machine under load draws them late. */
const hasSettled = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const frames = 30;
        let left = frames;
        const observer = new MutationObserver(() => {
          left = frames;
        });
        const grid = document.querySelector('.grid');
        if (grid === null) throw new Error('there is no grid');
        observer.observe(grid, { subtree: true, childList: true, attributes: true, characterData: true });
        const next = () => {
          if (left-- > 0) requestAnimationFrame(next);
          else {
            observer.disconnect();
            resolve();
          }
        };
        next();
      }),
  );

const screens = [
  { what: 'items', fragment: '#/bases/people', rows: 1600 },
  { what: 'files', fragment: '#/drives/files', rows: 900 },
] as const;

for (const { what, fragment, rows } of screens) {
  test(`scrolling ${what} draws each row that comes into view once, and leaves those that stay alone`, async () => {
    const page = await console.open(fragment);
    await page.locator('.grid-body [role=row]').first().waitFor();
    await load(page, rows);
    const cellsOfRow =
      (await page.locator('.grid-body [role=row]').first().locator('[role=gridcell]').count()) + 1;
    const [changes, cells] = [await watchRows(page), await countCells(page)];
    await turnWheel(page, 80, 200);
    const { added, inRowsThatStay } = await changes();
    const made = await cells();
    const scrolled = (await scrollTop(page)) / rowHeight;
    assert.ok(scrolled > 300, `${scrolled} rows were scrolled`);
    assert.ok(added <= scrolled + 40, `${added} rows were drawn for ${scrolled} that were scrolled`);
    assert.equal(inRowsThatStay, 0);
    // Some calls are of the functions around them.
    assert.ok(
      made > 0 && made <= added * cellsOfRow * 1.02,
      `${made} cells for ${added} rows of ${cellsOfRow}`,
    );
  });

  test(`no script waits for a layout while ${what} are scrolled`, async () => {
    const page = await console.open(fragment);
    await page.locator('.grid-body [role=row]').first().waitFor();
    await load(page, rows);
    assert.equal(await countForcedLayouts(page, () => turnWheel(page, 30, 200)), 0);
  });
}

test('an arrow key draws the two rows anew that it goes from and to', async () => {
  const page = await console.open('#/bases/people');
  await page.locator('.grid-body [role=row]').first().waitFor();
  await page.getByRole('grid').focus();
  const cellsOfRow =
    (await page.locator('.grid-body [role=row]').first().locator('[role=gridcell]').count()) + 1;
  const cells = await countCells(page);
  const presses = 10;
  // The box of all rows follows what is selected.
  for (let n = 0; n < presses; n++) {
    await page.keyboard.press('ArrowDown');
    await nextFrame(page);
  }
  const made = await cells();
  assert.ok(made > 0 && made <= presses * (2 * cellsOfRow + 1), `${made} cells for ${presses} keys`);
});
