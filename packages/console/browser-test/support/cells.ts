import type { Page } from 'playwright-core';

/** The cell of a row and a column of the grid, both counted from 1: the first column is the key. */
export const cellAt = (page: Page, row: number, column: number) =>
  page.locator(`.grid-body [role=row][data-row="${row - 1}"] [aria-colindex="${column + 1}"]`);

/** Presses the button on one cell and lets it go on another one. */
export async function drag(
  page: Page,
  from: { x: number; y: number },
  to: { x: number; y: number },
): Promise<void> {
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 6 });
  await page.mouse.up();
}

/** The middle of a cell in the window. */
export async function middleOf(page: Page, row: number, column: number): Promise<{ x: number; y: number }> {
  const box = await cellAt(page, row, column).boundingBox();
  if (box === null) throw new Error(`the cell ${row}, ${column} is not drawn`);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Selects the cells from one to another with the mouse. */
export async function dragCells(
  page: Page,
  from: readonly [row: number, column: number],
  to: readonly [row: number, column: number],
): Promise<void> {
  await drag(page, await middleOf(page, ...from), await middleOf(page, ...to));
}

/** How many cells of the grid are selected. */
export const selectedCells = (page: Page) => page.locator('[role=gridcell][aria-selected=true]').count();
