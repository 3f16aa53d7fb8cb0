// `npm run bench:console`: how smoothly the console scrolls a base of a million items and a folder of 100,000 files.
// `--items 50000` and `--files 2000` take fewer. Nothing is judged: a figure means something on a machine without other work.
import { parseArgs } from 'node:util';
import { startServer } from 'basedrive-acceptance/server-process';
import type { Browser, Page } from 'playwright-core';
import { key, launchBrowser } from './support/console.js';
import { person } from './support/items.js';

const { values } = parseArgs({
  options: { items: { type: 'string', default: '1000000' }, files: { type: 'string', default: '100000' } },
});
const itemCount = Number(values.items);
const fileCount = Number(values.files);
/** A frame of a screen with 60 of them a second takes 16.7 ms; one that took longer than this was late. */
const lateMs = 25;

const headers = { 'X-API-Key': key };
const nextFrame = (page: Page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));

async function storeItems(url: string): Promise<void> {
  for (let at = 0; at < itemCount; at += 20_000) {
    const lines = Array.from({ length: Math.min(20_000, itemCount - at) }, (_, n) => person(at + n));
    const type = { 'Content-Type': 'application/x-ndjson' };
    await fetch(`${url}/big/items`, {
      method: 'PUT',
      headers: { ...headers, ...type },
      body: lines.join('\n'),
    }).then((answer) => answer.text());
  }
}

async function storeFiles(url: string): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < fileCount) {
      const name = `big/file-${String(next++).padStart(6, '0')}.txt`;
      await fetch(`${url}/many/files?name=${name}`, { method: 'POST', headers, body: name }).then((answer) =>
        answer.text(),
      );
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
}

/** Turns the wheel, once in a frame. */
const wheel = (times: number, by: number) => async (page: Page) => {
  await page.getByRole('grid').hover();
  for (let n = 0; n < times; n++) {
    await page.mouse.wheel(0, by);
    await nextFrame(page);
  }
};

/** Presses a key, once in a frame. */
const hold = (name: string, times: number) => async (page: Page) => {
  await page.getByRole('grid').focus();
  for (let n = 0; n < times; n++) {
    await page.keyboard.press(name);
    await nextFrame(page);
  }
};

const base = '#/bases/big';
const folder = '#/drives/many?folder=big%2F';
const cases: readonly (readonly [string, string, (page: Page) => Promise<void>])[] = [
  ['items, wheel', base, wheel(300, 100)],
  ['items, fast wheel', base, wheel(200, 600)],
  ['items, Page Down', base, hold('PageDown', 100)],
  ['items, arrow key', base, hold('ArrowDown', 300)],
  ['files, wheel', folder, wheel(300, 100)],
  ['files, Page Down', folder, hold('PageDown', 100)],
];

interface Scrolled {
  /** Milliseconds until the first rows were there. */
  readonly openedMs: number;
  /** Milliseconds between frames, the shortest first. */
  readonly gaps: readonly number[];
  /** Milliseconds of processor time of the page's main thread. */
  readonly busyMs: number;
}

async function measure(
  browser: Browser,
  address: string,
  act: (page: Page) => Promise<void>,
): Promise<Scrolled> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.addInitScript((value) => sessionStorage.setItem('basedrive-key', value), key);
  const began = performance.now();
  await page.goto(address);
  await page.locator('.grid-body [role=row]').first().waitFor();
  const openedMs = performance.now() - began;
  await page.waitForTimeout(3000);
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000;
  };
  const frames = await page.evaluateHandle(() => {
    const seen = { gaps: [] as number[], isOver: false };
    let last = performance.now();
    const note = () => {
      const now = performance.now();
      seen.gaps.push(now - last);
      last = now;
      if (!seen.isOver) requestAnimationFrame(note);
    };
    requestAnimationFrame(note);
    return seen;
  });
  const before = await busy();
  await act(page);
  const busyMs = (await busy()) - before;
  const gaps = await frames.evaluate((seen) => {
    seen.isOver = true;
    return seen.gaps;
  });
  await page.close();
  return { openedMs, gaps: gaps.toSorted((one, other) => one - other), busyMs };
}

const server = await startServer(['--memory', '--key', key, '--log-level', 'error']);
const browser = await launchBrowser();
try {
  const { origin } = server.url;
  await storeItems(`${origin}/v1/demo`);
  await storeFiles(`${origin}/v1/demo`);
  console.log(`${itemCount} items, ${fileCount} files; milliseconds`);
  for (const [name, fragment, act] of cases) {
    const { openedMs, gaps, busyMs } = await measure(browser, `${origin}/${fragment}`, act);
    const at = (share: number) => (gaps[Math.floor(gaps.length * share)] ?? 0).toFixed(1);
    const late = ((gaps.filter((gap) => gap > lateMs).length / gaps.length) * 100).toFixed(1);
    console.log(
      `${name}: opened in ${openedMs.toFixed(0)}; ${gaps.length} frames, p50 ${at(0.5)}, p95 ${at(0.95)}, ` +
        `longest ${at(0.9999)}, late ${late} %; main thread ${(busyMs / gaps.length).toFixed(1)} a frame`,
    );
  }
} finally {
  await browser.close();
  await server.stop();
}
