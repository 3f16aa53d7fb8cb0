/** The same text in memory of its own: a part of a string keeps all of it in memory. */
export function owned(text: string): string {
  return Buffer.from(text).toString();
}
