import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { assertAccessible } from './support/axe.js';
import { useConsole } from './support/console.js';
import { person, store } from './support/items.js';

const console = useConsole({
  async prepare(service) {
    const people = Array.from({ length: 1204 }, (_, n) => person(n));
    await store(service, 'users', people);
    const orders = Array.from({ length: 300 }, (_, n) => `{"key":"order-${n}","total":${n}.99}`);
    await store(service, 'orders', orders);
    await service.call('POST', '/photos/files?name=2026/trip/cat.png', 'not really a cat');
    const limits = '{"name":"shop page","access":"read","drives":["photos"],"prefix":"2026/"}';
    await service.call('POST', '/keys', limits);
    await service.call('POST', '/keys', '{"name":"backup","access":"full"}');
    for (const name of [
      'notes.json',
      'trip/a.txt',
      'plan.txt',
      'a file with a name that is too long for its column.csv',
    ])
      await service.call('POST', `/photos/files?name=${encodeURIComponent(`2026/${name}`)}`, '{"a":[1,2,3]}');
  },
});

interface Screen {
  readonly name: string;
  readonly fragment: string;
  readonly isSignedIn?: boolean;
  /** Brings the page to the screen. */
  show(page: Page): Promise<void>;
}

const query = '[{"age?gte":36,"tags?contains":"math","active":true}]';

const screens: readonly Screen[] = [
  {
    name: 'sign-in',
    fragment: '',
    isSignedIn: false,
    show: (page) => page.getByLabel('Key').waitFor(),
  },
  {
    name: 'overview',
    fragment: '',
    show: (page) => page.getByText('1,504').waitFor(),
  },
  {
    name: 'browse',
    fragment: '#/bases/users',
    show: (page) => page.getByText('1,204 items').waitFor(),
  },
  {
    name: 'query',
    fragment: `#/bases/users?order=-age&query=${encodeURIComponent(query)}`,
    async show(page) {
      await page.getByText(/^\d+ matches$/).waitFor();
      await page.getByRole('gridcell').nth(3).waitFor();
      await page.getByLabel('Add a condition').fill('name ');
      await page.getByRole('option', { name: 'is equal', exact: false }).first().waitFor();
    },
  },
  {
    name: 'item',
    fragment: '#/bases/users?item=user-000003',
    async show(page) {
      await page.getByRole('textbox', { name: 'age', exact: true }).fill('42');
      await page.getByRole('textbox', { name: 'name', exact: true }).fill('E. W. Dijkstra');
      await page.keyboard.press('Tab');
      await page.getByText('2 changes').first().waitFor();
    },
  },
  {
    name: 'json',
    fragment: '#/bases/users?item=user-000003',
    async show(page) {
      await page.getByRole('tab', { name: 'JSON' }).click();
      await page.getByRole('textbox', { name: 'JSON of user-000003' }).waitFor();
    },
  },
  {
    name: 'review',
    fragment: '#/bases/users?item=user-000003',
    async show(page) {
      await page.getByRole('textbox', { name: 'age', exact: true }).fill('42');
      await page.keyboard.press('Tab');
      await page.getByRole('button', { name: 'Review' }).last().click();
      await page.getByRole('dialog', { name: 'Staged changes' }).waitFor();
    },
  },
  {
    name: 'empty',
    fragment: '#/bases/new',
    show: (page) => page.getByText('No items yet').waitFor(),
  },
  {
    name: 'shortcuts',
    fragment: '#/bases/users',
    async show(page) {
      await page.getByRole('grid').waitFor();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  },
  {
    name: 'drive',
    fragment: '#/drives/photos?folder=2026%2F&file=2026%2Fnotes.json',
    show: (page) => page.getByText('{"a":[1,2,3]}').first().waitFor(),
  },
  {
    name: 'keys',
    fragment: '#/keys',
    show: (page) => page.getByText('shop page').waitFor(),
  },
  {
    name: 'new-key',
    fragment: '#/keys',
    async show(page) {
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByText('It may').waitFor();
    },
  },
  {
    name: 'share',
    fragment: '#/drives/photos?folder=2026%2F&file=2026%2Fnotes.json',
    async show(page) {
      await page.getByRole('button', { name: 'Share' }).click();
      await page.getByText('It works for').waitFor();
    },
  },
];

/** What scrolls sideways, except code and the JSON editor, whose lines are not broken. */
function scrolledSideways(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .filter((element) => element.closest('pre, .editor-place') === null)
      .filter((element) => /auto|scroll/.test(getComputedStyle(element).overflowX) || element.matches('html'))
      .filter((element) => element.scrollWidth > element.clientWidth)
      .map((element) => element.outerHTML.slice(0, 80)),
  );
}

const looks: Readonly<Record<string, BrowserContextOptions>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  // 400 % on a screen of 1280 pixels: WCAG 2.2, 1.4.10.
  zoomed: { colorScheme: 'light', viewport: { width: 320, height: 512 } },
};
/** Looks in which cards take the place of tables. */
const narrow = ['phone', 'zoomed'];

/** The screens of which docs/images has pictures; the others are only checked. */
const pictured = ['sign-in', 'overview', 'browse', 'query', 'item', 'json', 'drive'];
/** Where pictures are written; undefined in an ordinary test run. */
const pictures = process.env.BASEDRIVE_SCREENSHOTS;

for (const { name, fragment, isSignedIn = true, show } of screens) {
  for (const [look, options] of Object.entries(looks)) {
    test(`axe finds nothing on ${name}, ${look}`, async () => {
      const page = await console.open(fragment, { isSignedIn, ...options });
      await show(page);
      if (pictures !== undefined && pictured.includes(name)) {
        await mkdir(pictures, { recursive: true });
        await page.screenshot({ path: join(pictures, `${name}-${look}.png`) });
      }
      await assertAccessible(page, `${name}, ${look}`);
      if (narrow.includes(look)) assert.deepEqual(await scrolledSideways(page), []);
    });
  }
}
