import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { settled } from './settled.js';

/**
 * Checks a screen with axe. Its source is evaluated by the browser's debugger, which the policy of the page allows, so
 * that the policy stays on.
 */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  // Before, it has another contrast.
  await settled(page);
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as { axe: typeof axe };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await checker.run(document, { runOnly: tags });
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
    );
  });
  assert.deepEqual(found, [], what);
}
