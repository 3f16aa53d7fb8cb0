/** An order as the service takes it: docs/http.md#ordered-queries */
export interface Order {
  /** Attribute paths, `-` downwards; empty for the order of keys. */
  readonly order: readonly string[];
  readonly isDescending: boolean;
}

/** Reads the order of the URL: an attribute path, with `-` before it downwards. Empty: by key. */
export function readOrder(text: string): Order {
  const { name, isDescending } = splitOrder(text);
  if (name === '' || name === 'key') return { order: [], isDescending };
  return { order: [text], isDescending: false };
}

/** The attribute of an order, and its direction. */
export function splitOrder(text: string): { readonly name: string; readonly isDescending: boolean } {
  const isDescending = text.startsWith('-');
  return { name: isDescending ? text.slice(1) : text, isDescending };
}

/** The order after a click on a column: upwards, downwards, and none. */
export function nextOrder(text: string, name: string): string {
  if (text === name) return `-${name}`;
  return text === `-${name}` ? '' : name;
}
