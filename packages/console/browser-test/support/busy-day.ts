import type { Page } from 'playwright-core';

const ofHour = { minutes: 60, requests: 27_418, failed: 85, p50_ms: 0.64, p99_ms: 12.1 };

/** Lets the overview show a day with many requests, as a server has seen it that runs for long. */
export async function showBusyDay(page: Page): Promise<void> {
  await page.route('**/activity?details=true', async (route) => {
    const answer = (await (await route.fetch()).json()) as object;
    await route.fulfill({ json: { ...answer, ...busyDay(Math.floor(Date.now() / 1000)) } });
  });
  await page.route('**/v1/demo/activity', (route) => route.fulfill({ json: ofHour }));
  await page.reload();
}

function busyDay(now: number): object {
  const points = (count: number, seconds: number) =>
    Array.from({ length: count }, (_, n) => ({
      at: now - (now % seconds) - (count - 1 - n) * seconds,
      requests: Math.round(420 + 280 * Math.sin(n / 7) + ((n * 7919) % 90)),
      refused: ((n * 31) % 17) * 3,
      failed: n === 20 ? 60 : n === 21 ? 25 : 0,
      p50_ms: 0.5 + ((n * 13) % 7) / 20,
      p99_ms: 4 + ((n * 17) % 29) / 3 + (n === 20 ? 30 : 0),
    }));
  const day = 86_400;
  return {
    since: now - 30 * day,
    hour: points(60, 60),
    day: points(96, 900),
    slow_queries: [
      {
        base: 'orders',
        conditions: ['city'],
        order: ['-total'],
        counted: false,
        times: 14,
        at: now - 400,
        max_ms: 812,
        items: 100_000,
        suggestion: ['city', 'total'],
      },
    ],
    storage: Array.from({ length: 60 }, (_, n) => ({
      at: now - (59 - n) * 4 * 3600,
      items: 1000 * n,
      item_bytes: 1e6 + n * n * 9000,
      files: 3,
      file_bytes: 3e6 + Math.floor(n / 10) * 8e6,
      exact: true,
    })),
  };
}
