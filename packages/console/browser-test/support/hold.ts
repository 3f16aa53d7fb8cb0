import type { Page } from 'playwright-core';

/** Holds the n-th request to a path until it is let go. */
export async function hold(
  page: Page,
  path: string,
  n = 1,
): Promise<{ readonly isHeld: Promise<void>; letGo(): void }> {
  let seen = 0;
  let letGo = () => {};
  let held = () => {};
  const isHeld = new Promise<void>((resolve) => {
    held = resolve;
  });
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route(`**${path}`, async (route) => {
    if (++seen === n) {
      held();
      await gone;
    }
    await route.continue();
  });
  return { isHeld, letGo };
}
