import { readAttributes } from '../../exact/scan.js';

/** An item as the service sent it. */
export interface Row {
  readonly key: string;
  /** The JSON text of the item. */
  readonly text: string;
  /** The JSON texts of its attributes by their names, in their order. */
  readonly attributes: ReadonlyMap<string, string>;
}

/** Reads the JSON text of an item. */
export function readRow(text: string): Row {
  const attributes = new Map(readAttributes(text));
  const key = attributes.get('key');
  return { key: key === undefined ? '' : (JSON.parse(key) as string), text, attributes };
}
