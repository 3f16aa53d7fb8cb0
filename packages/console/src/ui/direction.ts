/** What is not a letter, and then a letter of Hebrew, Arabic, or another script that is written from right to left. */
const beginsAtTheRight =
  /^\P{L}*(?=\p{L})[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * The direction of a text, by its first letter: a line that is cut keeps its beginning. Undefined for left to right, which
 * is the direction of the page.
 */
export function directionOf(text: string): 'rtl' | undefined {
  return beginsAtTheRight.test(text) ? 'rtl' : undefined;
}
