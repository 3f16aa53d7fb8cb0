import type { Grant } from '../access/grant.js';
import { allNames, inBoth, type NameSet, noNames } from '../access/name-set.js';
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

/** What a request asks for. Names are undefined where it gives none. */
export interface RequestedSelection extends Omit<Selection, 'bases' | 'drives'> {
  readonly bases: NameSet | undefined;
  readonly drives: NameSet | undefined;
}

/**
 * What a request asks for, as far as its grant may see it. A request that names only bases gets no drives, and the other
 * way round.
 */
export function selectionOf(
  requested: RequestedSelection,
  grant: Pick<Grant, 'bases' | 'drives' | 'prefix'>,
): Selection {
  const isNamed = requested.bases !== undefined || requested.drives !== undefined;
  const others = isNamed ? noNames : allNames;
  return {
    ...requested,
    bases: inBoth(requested.bases ?? others, grant.bases),
    drives: inBoth(requested.drives ?? others, grant.drives),
    prefix: longer(requested.prefix, grant.prefix),
  };
}

/** What both prefixes require. If they exclude each other, nothing begins with it: no key has U+0000. */
function longer(requested: string, allowed: string): string {
  if (requested.startsWith(allowed)) return requested;
  return allowed.startsWith(requested) ? allowed : '\0';
}
