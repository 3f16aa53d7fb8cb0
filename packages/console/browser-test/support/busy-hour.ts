import type { ActivityDetails, ActivityPoint, ActivityResponse } from 'basedrive-client';
import type { Page, Route } from 'playwright-core';

const minutes = 60;

/** What the overview shows of a service that has been busy for an hour: that of the tests has just started. */
export async function showBusyHour(page: Page): Promise<void> {
  await page.route(/\/activity(\?|$)/, async (route: Route) => {
    const response = await route.fetch();
    const given = (await response.json()) as ActivityDetails | ActivityResponse;
    const hour = busyHour(Math.floor(Date.now() / 60_000) * 60);
    const requests = hour.reduce((sum, point) => sum + point.requests, 0);
    const json =
      'hour' in given
        ? { ...given, since: (hour[0]?.at ?? 0) - 3600, hour }
        : { ...given, requests, failed: 0, p50_ms: 1.2, p99_ms: 11.8 };
    await route.fulfill({ response, json });
  });
}

/** Rises and falls, without chance: a picture is the same each time. */
function busyHour(endSeconds: number): readonly ActivityPoint[] {
  return Array.from({ length: minutes }, (_, n) => {
    const wave = Math.sin(n / 9) + Math.sin(n / 3.7) / 3 + Math.sin(n * 2.1) / 6;
    const requests = Math.round(420 + 170 * wave);
    return {
      at: endSeconds - (minutes - 1 - n) * 60,
      requests,
      refused: n % 11 === 4 ? 24 : n % 5 === 0 ? 7 : 0,
      failed: 0,
      p50_ms: 1.1 + wave / 10,
      p99_ms: 9 + 3 * wave + (n === 37 ? 14 : 0),
    };
  });
}
