import type { Page } from 'playwright-core';

/** Edits the cell of an attribute in the first row. */
export async function editCell(page: Page, name: string, text: string): Promise<void> {
  const head = page.getByRole('columnheader', { name: new RegExp(`^${name.replace('.', '\\.')}`) });
  const column = await head.getAttribute('aria-colindex');
  await page.locator(`[role=gridcell][aria-colindex="${column}"]`).first().dblclick();
  await page.locator('.cell-editor textarea').fill(text);
  await page.keyboard.press('Enter');
}
