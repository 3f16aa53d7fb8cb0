import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { useConsole } from './support/console.js';
import { putFile } from './support/files.js';

// How long a link may work is for the operator to say: here 90 days.

const console = useConsole({
  settings: ['--max-link-time', '90d'],
  prepare: (service) => putFile(service, 'work', 'alpha.txt'),
});

async function openShare(open?: (page: Page) => Promise<unknown>) {
  const page = await console.open('#/drives/work?file=alpha.txt', open && { before: open });
  await page.getByRole('button', { name: 'Share' }).click();
  const dialog = page.getByRole('dialog');
  const make = dialog.getByRole('button', { name: 'Make a link' });
  return { page, dialog, make, lifetime: dialog.getByLabel('The link works for') };
}

/** What the field of a date and time takes. */
const local = (page: Page, days: number) =>
  page.evaluate(
    (at) => new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16),
    Date.now() + days * 86_400_000,
  );

test('a link works for as long as the operator allows, and no longer', async () => {
  const { page, dialog, make, lifetime } = await openShare();
  await lifetime.locator('option', { hasText: '90 days' }).waitFor({ state: 'attached' });
  const offered = await lifetime.locator('option').allTextContents();
  assert.deepEqual(offered, ['An hour', 'A day', '7 days', '30 days', '90 days', 'Until a date and time']);
  await lifetime.selectOption({ label: 'Until a date and time' });
  const until = dialog.getByLabel('Until, at most 90 days from now');
  await until.fill(await local(page, 91));
  await make.click();
  await dialog.getByText('A link works for at most 90 days.').waitFor();
  await lifetime.selectOption({ label: '90 days' });
  await make.click();
  await dialog.getByRole('button', { name: 'Copy the link' }).first().waitFor();
  const { links } = (await (await console.call('GET', '/work/links')).json()) as {
    links: { created: number; expires: number }[];
  };
  assert.deepEqual(
    links.map(({ created, expires }) => expires - created),
    [90 * 86_400],
  );
});

test('what the service says is shown where it did not tell its longest time', async () => {
  const { page, dialog, make, lifetime } = await openShare((opened) =>
    opened.route(/\/keys\?self=true/, async (route) => {
      const { max_link_seconds: _, ...told } = await (await route.fetch()).json();
      await route.fulfill({ json: told });
    }),
  );
  await lifetime.selectOption({ label: 'Until a date and time' });
  const until = dialog.getByLabel('Until', { exact: true });
  await until.fill(await local(page, 200));
  await make.click();
  await dialog.getByText(/expires_in: .*7776000/).waitFor();
  await until.fill(await local(page, 80));
  await make.click();
  await dialog.getByRole('button', { name: 'Copy the link' }).first().waitFor();
});
