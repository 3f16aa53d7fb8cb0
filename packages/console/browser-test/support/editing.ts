import type { Page } from 'playwright-core';

/** Edits the cell of an attribute in the first row. */
export async function editCell(page: Page, name: string, text: string): Promise<void> {
  const head = page.getByRole('columnheader', { name: new RegExp(`^${name.replace('.', '\\.')}`) });
  const column = await head.getAttribute('aria-colindex');
  await page.locator(`[role=gridcell][aria-colindex="${column}"]`).first().dblclick();
  await page.locator('.cell-editor textarea').fill(text);
  await page.keyboard.press('Enter');
}

/** Puts a text in place of the JSON of an item that is open, `a` or `the new item`. */
export async function typeJson(page: Page, item: string, json: string): Promise<void> {
  await page.getByRole('textbox', { name: `JSON of ${item}`, exact: true }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(json);
}

/** Pastes a text on the active cell. The page must have the permissions of the clipboard. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((pasted) => navigator.clipboard.writeText(pasted), text);
  await page.keyboard.press('Control+v');
}

export const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };

export const save = (page: Page) => page.keyboard.press('Control+s');

/** Chooses a command of the menu More. */
export async function chooseMore(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: new RegExp(`^${name}…?$`) }).click();
}
