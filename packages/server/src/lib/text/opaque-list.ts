/** A list of JSON values as a text that nobody reads: base64url. */
export function opaqueText(list: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(list)).toString('base64url');
}

/** The list of such a text; empty for any other text. */
export function listOfOpaque(text: string): readonly unknown[] {
  try {
    const list: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
