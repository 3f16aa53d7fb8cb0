import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { assertAccessible, assertColours } from './axe.js';
import type { ConsoleUnderTest } from './console.js';
import { settled } from './settled.js';

export interface Screen {
  readonly name: string;
  readonly fragment: string;
  readonly isSignedIn?: boolean;
  /** What is done to the page before it is loaded. */
  before?(page: Page): Promise<void>;
  /** Brings the page to the screen. */
  show(page: Page): Promise<void>;
}

/** What scrolls sideways, except code and the JSON editor, whose lines are not broken. */
export function scrolledSideways(page: Page): Promise<string[]> {
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
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  // 400 % on a screen of 1280 pixels: WCAG 2.2, 1.4.10.
  zoomed: { colorScheme: 'light', viewport: { width: 320, height: 512 } },
};
/** Looks in which cards take the place of tables. */
const narrow = ['phone', 'zoomed'];

/** The screens of which docs/images has pictures; the others are only checked. */
const pictured = [
  'sign-in',
  'overview',
  'profile',
  'browse',
  'range',
  'import-table',
  'tree',
  'palette',
  'query',
  'item',
  'json',
  'review',
  'drive',
  'tiles',
  'share',
  'keys',
  's3-credentials',
  'webhooks',
  'indexes',
  'trash',
  'shared',
];
/** Where pictures are written; undefined in an ordinary test run. */
const pictures = process.env.BASEDRIVE_SCREENSHOTS;

/**
 * Checks every screen in every look: axe finds nothing, and in a narrow window nothing scrolls sideways. The dark look is
 * the light one in other colours, which a page takes when the system does.
 */
export function testScreens(console: ConsoleUnderTest, screens: readonly Screen[]): void {
  for (const { name, fragment, isSignedIn = true, show, ...screen } of screens) {
    for (const [look, options] of Object.entries(looks)) {
      test(`axe finds nothing on ${name}, ${look}${look === 'light' ? ' and dark' : ''}`, async () => {
        const page = await console.open(fragment, { isSignedIn, ...screen, ...options });
        await show(page);
        if (look !== 'zoomed') await takePicture(page, name, look);
        await assertAccessible(page, `${name}, ${look}`);
        if (look === 'light') {
          await page.emulateMedia({ colorScheme: 'dark' });
          await takePicture(page, name, 'dark');
          await assertColours(page, `${name}, dark`);
        }
        if (narrow.includes(look)) assert.deepEqual(await scrolledSideways(page), []);
      });
    }
  }
}

async function takePicture(page: Page, name: string, look: string): Promise<void> {
  if (pictures === undefined || !pictured.includes(name)) return;
  await settled(page);
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}-${look}.png`) });
}
