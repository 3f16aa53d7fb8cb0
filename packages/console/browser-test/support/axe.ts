import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { settled } from './settled.js';

/** Without comments it is less than half as long, so pages compile it faster. */
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Checks a screen with axe. Its source is evaluated by the browser's debugger, which the policy of the page allows, so
 * that the policy stays on.
 */
export async function assertAccessible(page: Page, what: string): Promise<void> {
  // Before, it has another contrast.
  await settled(page);
  await page.evaluate(source);
  assert.deepEqual(await violations(page, tags), [], what);
}

/** Checks the colours of a screen again that `assertAccessible` has found good: only they may have changed since. */
export async function assertColours(page: Page, what: string): Promise<void> {
  await settled(page);
  const rules = await page.evaluate((asked) => {
    const { axe: checker } = globalThis as unknown as { axe: typeof axe };
    const ofColours = checker.getRules(['cat.color']);
    return ofColours
      .filter((rule) => rule.tags.some((tag) => asked.includes(tag)))
      .map(({ ruleId }) => ruleId);
  }, tags);
  assert.ok(rules.includes('color-contrast'));
  assert.deepEqual(await violations(page, { type: 'rule', values: rules }), [], what);
}

function violations(page: Page, runOnly: axe.RunOptions['runOnly']): Promise<string[]> {
  return page.evaluate(async (asked) => {
    const { axe: checker } = globalThis as unknown as { axe: typeof axe };
    // What passes needs no description.
    const found = await checker.run(document, { runOnly: asked, resultTypes: ['violations'] });
    return found.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
    );
  }, runOnly);
}
