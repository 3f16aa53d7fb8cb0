import type { Grant } from '../access/grant.js';
import { allNames, inBoth, type NameSet, noNames } from '../access/names.js';
import type { Query } from '../base/query/query-body.js';
import type { ChangeWriting } from './change-writing.js';

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
  /** How changes are written; absent: as docs/http.md#a-change says. */
  readonly writing?: ChangeWriting;
}

export type ItemQuery = Pick<Query, 'range' | 'filter' | 'conditions'>;

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
    bases: inBoth(asked.bases ?? others, grant.bases),
    drives: inBoth(asked.drives ?? others, grant.drives),
    prefix: longer(asked.prefix, grant.prefix),
  };
}

/** What both prefixes require. If they exclude each other, nothing begins with it: no key has U+0000. */
function longer(asked: string, allowed: string): string {
  if (asked.startsWith(allowed)) return asked;
  return allowed.startsWith(asked) ? allowed : '\0';
}
