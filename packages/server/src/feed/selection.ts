import type { Grant } from '../access/grant.js';
import { allNames, type NameSet, noNames } from '../access/names.js';
import type { Filter } from '../base/query/filter.js';
import type { ScanRange } from '../engines/item-store.js';

/** What a reader of the feed follows (docs/http.md#list-changes). */
export interface Selection {
  readonly bases: NameSet;
  readonly drives: NameSet;
  /** Keys and names of files begin with it. */
  readonly prefix: string;
  /** Which items match; undefined for all. */
  readonly query: ItemQuery | undefined;
  /** Whether items are given with their values. */
  readonly values: boolean;
}

export interface ItemQuery {
  readonly range: ScanRange;
  readonly filter: Filter | undefined;
}

/** What a request asks for: names are undefined where it says none. */
export interface Asked extends Omit<Selection, 'bases' | 'drives'> {
  readonly bases: NameSet | undefined;
  readonly drives: NameSet | undefined;
}

/**
 * What of the asked names and keys the grant may see. Whoever names only bases wants no drives, and the other way round.
 */
export function selectionOf(asked: Asked, grant: Pick<Grant, 'bases' | 'drives' | 'prefix'>): Selection {
  const isNamed = asked.bases !== undefined || asked.drives !== undefined;
  const others = isNamed ? noNames : allNames;
  return {
    ...asked,
    bases: both(asked.bases ?? others, grant.bases),
    drives: both(asked.drives ?? others, grant.drives),
    prefix: longer(asked.prefix, grant.prefix),
  };
}

/** The names that are in both sets. */
function both(asked: NameSet, allowed: NameSet): NameSet {
  if (asked === allNames) return allowed;
  if (allowed === allNames) return asked;
  const parts = asked.parts.flatMap((one) =>
    allowed.parts.flatMap((other) => {
      const [short, long] = one.text.length <= other.text.length ? [one, other] : [other, one];
      if (short.isBeginning) return long.text.startsWith(short.text) ? [long] : [];
      return short.text === long.text ? [short] : [];
    }),
  );
  return { has: (name) => asked.has(name) && allowed.has(name), parts };
}

/** What both prefixes require. If they exclude each other, nothing begins with it: no key has U+0000. */
function longer(asked: string, allowed: string): string {
  if (asked.startsWith(allowed)) return asked;
  return allowed.startsWith(asked) ? allowed : '\0';
}
