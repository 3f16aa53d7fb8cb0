import type { Random } from '../random.js';
import type { Entries, EntryChange } from './known-entries.js';

/** An item of a base whose items requests change together. */
export interface Item {
  readonly key: string;
  readonly group: number;
  readonly n: number;
  readonly text: string;
}

/** Which items there may be. */
export interface ItemChoice {
  readonly base: string;
  readonly keys: readonly string[];
  /** Sizes of the attribute `text` in characters. */
  readonly textSizes: readonly number[];
}

/** The number of groups into which items fall at random. */
export const groups = 3;

export function randomItem({ textSizes }: ItemChoice, key: string, random: Random): Item {
  const text = 'x'.repeat(random.pick(textSizes)) + random.int(1e9);
  return { key, group: random.int(groups), n: random.int(1000), text };
}

export function itemOf(entries: Entries, key: string): Item | undefined {
  const text = entries.get(key);
  return text === undefined ? undefined : (JSON.parse(text) as Item);
}

export function putOf(item: Item): EntryChange {
  return { name: item.key, next: JSON.stringify(item) };
}

/** The items that a write stores may expire at once (docs/http.md#expires_in): then none of them is there. */
export interface ItemExpiry {
  /** What a body has besides the item. */
  readonly member: { readonly expires_in?: number };
  /** What the path of an import has. */
  readonly parameter: string;
  /** What a put of the item changes. */
  readonly changeOf: (item: Item) => EntryChange;
}

/** One write of eight stores items that expire at once. */
export function randomExpiry(random: Random): ItemExpiry {
  if (random.int(8) > 0) return { member: {}, parameter: '', changeOf: putOf };
  return {
    member: { expires_in: 0 },
    parameter: '?expires_in=0',
    changeOf: ({ key }) => ({ name: key, next: undefined }),
  };
}
