import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { editCell, save } from './support/editing.js';
import { people, store } from './support/items.js';

// What somebody else has changed meanwhile.

// Without the feed the page asks: browser-test/elsewhere.test.ts has what it shows with it.
const console = useConsole({ settings: ['--keep-changes', '0s'] });

/** As it is when somebody comes back to the tab. Resolves when the page has asked the service. */
async function comeBack(page: Page): Promise<void> {
  const asked = page.waitForResponse((response) => /\/(query|transactions|count)$/.test(response.url()));
  await page.evaluate(() => dispatchEvent(new Event('focus')));
  await asked;
}

const note = (page: Page) => page.getByText('Changed elsewhere');

for (const [name, fragment] of [
  ['keys', '#/bases/live'],
  ['an attribute', '#/bases/live?order=-age'],
] as const) {
  test(`what was changed elsewhere is told and shown by Reload, in the order of ${name}`, async () => {
    await store(console, 'live', people(300));
    const page = await console.open(fragment);
    await page.getByText('300 items').waitFor();
    await comeBack(page);
    await editCell(page, 'age', '71');
    await save(page);
    await page.getByText('Saved 1 item').waitFor();
    await comeBack(page);
    await becomes(() => note(page).count(), 0);

    const key = await page.locator('.grid-body [data-row="5"] .pinned').textContent();
    await console.call('PATCH', `/live/items/${key}`, '{"set":{"name":"Changed by a program"}}');
    await comeBack(page);
    await note(page).waitFor();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('gridcell', { name: 'Changed by a program' }).waitFor();
    await note(page).waitFor({ state: 'detached' });

    await console.call('PUT', '/live/items', '{"items":[{"key":"zz","age":1}]}');
    await comeBack(page);
    await note(page).waitFor();
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByText('301 items').waitFor();
    await console.call('DELETE', '/live/items/zz');
  });
}
