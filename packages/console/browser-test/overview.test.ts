import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { assertAccessible } from './support/axe.js';
import { becomes } from './support/becomes.js';
import { type ConsoleUnderTest, useConsole } from './support/console.js';
import { person, store } from './support/items.js';
import { scrolledSideways } from './support/screens.js';

const prepare = async (service: ConsoleUnderTest) => store(service, 'users', [person(1)]);
const figureOf = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const names = ['Requests, last hour', 'p99, last hour'];

/** Opens the overview, and waits for its other figures and for the answer to the question for the activity. */
async function openOverview(
  console: ConsoleUnderTest,
  options: Parameters<ConsoleUnderTest['open']>[1] = {},
) {
  let answered: Promise<unknown> | undefined;
  const page = await console.open('', {
    ...options,
    before: async (opened) => {
      answered = opened.waitForResponse((response) => response.url().endsWith('/v1/demo/activity'));
      await options.before?.(opened);
    },
  });
  await figureOf(page, 'Bases').getByText('1 item', { exact: true }).waitFor();
  await answered;
  return page;
}

describe('the overview', () => {
  const console = useConsole({ prepare });

  test('shows the requests of the last hour and their p99', async () => {
    const page = await openOverview(console);
    await figureOf(page, 'Requests, last hour')
      .getByText(/^\d+ requests?$/)
      .waitFor();
    await figureOf(page, 'Requests, last hour').getByText('None failed').waitFor();
    await figureOf(page, 'p99, last hour')
      .getByText(/^[\d.]+ m?s 99 of 100/)
      .waitFor();
    await figureOf(page, 'p99, last hour')
      .getByText(/^p50 [\d.]+ m?s$/)
      .waitFor();
    await assertAccessible(page, 'overview with activity');
  });

  test('shows no size of a base that nobody has counted yet', async () => {
    const page = await console.open('', {
      before: (opened) =>
        opened.route(/\/v1\/demo\/[^/]+\/stats$/, (route) => route.fulfill({ json: { exact: false } })),
    });
    const figure = figureOf(page, 'Bases');
    await figure.getByText(/^— items$/).waitFor();
    await figure.getByText(/^\d+ bases?$/).waitFor();
  });

  test('shows the numbers of the service, also on a phone', async () => {
    const activity = { minutes: 60, requests: 120_400, failed: 3, p50_ms: 0.46, p99_ms: 1210 };
    const page = await openOverview(console, {
      viewport: { width: 320, height: 512 },
      before: (opened) => opened.route('**/v1/demo/activity', (route) => route.fulfill({ json: activity })),
    });
    const requests = figureOf(page, 'Requests, last hour');
    await requests.getByText('120,400 requests', { exact: true }).waitFor();
    await requests.getByText('3 failures (5xx)', { exact: true }).waitFor();
    await figureOf(page, 'p99, last hour')
      .getByText(/^1\.21 s 99 of 100/)
      .waitFor();
    await figureOf(page, 'p99, last hour').getByText('p50 0.46 ms', { exact: true }).waitFor();
    assert.deepEqual(await scrolledSideways(page), []);
    await assertAccessible(page, 'overview with activity, 320 pixels');
  });

  test('shows nothing of it to a key with limits', async () => {
    const made = await console.call('POST', '/keys', '{"access":"read","expires_in":600}');
    const { key } = (await made.json()) as { key: string };
    const page = await console.open('', { isSignedIn: false });
    await page.getByLabel('Key').fill(key);
    await page.keyboard.press('Enter');
    await figureOf(page, 'Bases').getByText('1 item', { exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    for (const name of names) await becomes(() => figureOf(page, name).count(), 0, name);
    await becomes(() => page.getByRole('alert').count(), 0);
  });
});

describe('the overview of a project with a quota', () => {
  const console = useConsole({
    prepare,
    settings: ['--quota', 'items=10,item_bytes=1000000,files=1,requests_per_second=1000'],
  });
  const meter = (page: Page, name: string) => page.getByRole('meter', { name, exact: true });

  test('shows what of it is used, and what is nearly or wholly used', async () => {
    await console.call('POST', '/notes/files?name=a', '"x"');
    for (let n = 2; n <= 8; n++) await store(console, 'users', [person(n)]);
    const page = await console.open();
    const quota = figureOf(page, 'Quota');
    await quota.getByText('8 of 10', { exact: true }).waitFor();
    assert.equal(await meter(page, 'Items').getAttribute('aria-valuenow'), '8');
    assert.equal(await meter(page, 'Items').getAttribute('aria-valuemax'), '10');
    await quota.getByText('1 of 1 Nothing more can be stored').waitFor();
    await quota.getByText('At most 1,000 requests a second, over all keys.').waitFor();
    assert.equal(await meter(page, 'Bytes of files').count(), 0);
    await assertAccessible(page, 'overview with a quota');
    await store(console, 'users', [person(9)]);
    await page.reload();
    await quota.getByText('9 of 10 90 %').waitFor();
    await page.setViewportSize({ width: 320, height: 512 });
    assert.deepEqual(await scrolledSideways(page), []);
    await assertAccessible(page, 'overview with a quota, 320 pixels');
  });

  test('shows it to no key with limits', async () => {
    const made = await console.call('POST', '/keys', '{"access":"full","bases":["users"]}');
    const { key } = (await made.json()) as { key: string };
    const page = await console.open('', {
      before: (opened) => opened.addInitScript((own) => sessionStorage.setItem('basedrive-key', own), key),
    });
    await page.locator('.badge').waitFor();
    await figureOf(page, 'Bases')
      .getByText(/^\d+ items?$/)
      .waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(await figureOf(page, 'Quota').count(), 0);
  });
});

describe('the figures of a large project', () => {
  const console = useConsole({ prepare });
  const large = JSON.stringify({
    base: { items: 1_000_000, bytes: 123_456_789, exact: false, as_of: 1_700_000_000 },
    drive: { files: 0, bytes: 0, exact: true },
  });

  test('are as high as each other, and on one line', async () => {
    const page = await console.open('', {
      before: (opened) => opened.route('**/users/stats', (route) => route.fulfill({ body: large })),
    });
    await figureOf(page, 'Bases').getByText('1,000,000').waitFor();
    await figureOf(page, 'p99, last hour').waitFor();
    const heightsOf = (parts: string) =>
      page.locator(parts).evaluateAll((all) => [...new Set(all.map((one) => one.clientHeight))]);
    await becomes(async () => (await heightsOf('.figure')).length, 1);
    await becomes(async () => (await heightsOf('.figure-number')).length, 1);
  });

  test('say no number before all sizes are read', async () => {
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await store(console, 'second', [person(2)]);
    const page = await console.open('', {
      before: (opened) =>
        opened.route('**/second/stats', async (route) => {
          await held;
          await route.continue();
        }),
    });
    await page.getByRole('cell', { name: 'second', exact: true }).waitFor();
    const bases = figureOf(page, 'Bases');
    await page.getByRole('cell', { name: '1', exact: true }).waitFor();
    assert.match((await bases.textContent()) ?? '', /— items/);
    letGo();
    await bases.getByText('2 items', { exact: true }).waitFor();
  });
});

describe('the Connect card of a limited key', () => {
  const console = useConsole({
    async prepare(service) {
      for (const base of ['aaa', 'orders']) await store(service, base, ['{"key":"eu-1"}']);
      await service.call('POST', '/notes/files?name=eu-a.txt', 'text');
    },
  });

  const limits = [
    { access: 'write', bases: ['orders'], prefix: 'eu-' },
    { access: 'write', drives: ['notes'], prefix: 'eu-' },
    { access: 'read', bases: ['orders'] },
    { access: 'read', drives: ['notes'], prefix: "eu-'" },
    { access: 'full', bases: ['shop-*'] },
  ];
  for (const limit of limits) {
    test(`suggests only what it may do: ${JSON.stringify(limit)}`, async () => {
      const made = await console.call('POST', '/keys', JSON.stringify(limit));
      const { key } = (await made.json()) as { key: string };
      const page = await console.open('', {
        before: (opened) => opened.addInitScript((own) => sessionStorage.setItem('basedrive-key', own), key),
      });
      await page.locator('.badge').waitFor();
      const card = page.getByLabel('commands', { exact: true });
      const code = (await card.textContent()) ?? '';
      const run = promisify(execFile)('sh', ['-ec', code.replaceAll('curl ', 'curl -sS --fail-with-body ')], {
        env: { ...process.env, KEY: key },
      });
      const { stdout } = await run;
      assert.doesNotMatch(stdout, /"errors"|"failed"/);
      assert.equal(code.includes(' -X '), limit.access !== 'read');
      await page.getByRole('tab', { name: 'JavaScript' }).click();
      const names = ((await page.getByLabel('code', { exact: true }).textContent()) ?? '').matchAll(
        /(?:Base|Drive)\('?"?([^'"]*)/g,
      );
      const reached = [...(limit.bases ?? []), ...(limit.drives ?? [])].map((one) => one.replace('*', ''));
      const wrong = [...names].filter(([, name = '']) => !reached.some((one) => name.startsWith(one)));
      assert.deepEqual(wrong, []);
    });
  }
});
