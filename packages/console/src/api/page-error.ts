/** A failure that the page has found itself; its message is a sentence for the user. */
export class PageError extends Error {
  override readonly name = 'PageError';
}
