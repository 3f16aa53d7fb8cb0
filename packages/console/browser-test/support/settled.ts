import type { Page } from 'playwright-core';

/** Waits for what appears by and by, but not for spinners, which never end. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const ends = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime))
      .map(({ finished }) => finished.catch(() => {}));
    await Promise.all(ends);
  });
}
