import type { CallOptions } from '../http/endpoint.js';
import type { AttributeAt } from '../items/attribute-paths.js';
import type { Item } from '../items/item.js';
import type { PlainPath } from '../items/query.js';

/** What is computed of the items that match, by the names of the results (docs/http.md#aggregates). */
export type Aggregates<T = unknown> = Readonly<Record<string, OneAggregate<T>>>;

type OneAggregate<T> =
  | { readonly count: true }
  | { readonly sum: PlainPath<T> }
  | { readonly avg: PlainPath<T> }
  | { readonly min: PlainPath<T> }
  | { readonly max: PlainPath<T> }
  | { readonly distinct: PlainPath<T> };

/** By what items are grouped: the value at a path, or the span of time in UTC that it is in. */
export type GroupBy<T = unknown> =
  | PlainPath<T>
  | { readonly hour: PlainPath<T> }
  | { readonly day: PlainPath<T> }
  | { readonly month: PlainPath<T> }
  | { readonly year: PlainPath<T> };

export interface AggregateOptions<T = unknown, Groups extends readonly GroupBy<T>[] = readonly GroupBy<T>[]>
  extends CallOptions {
  readonly group: Groups;
  /** Names of aggregates and paths of `group`, each with a `-` in front for downwards. */
  readonly order?: readonly string[] | undefined;
  /** The maximum number of groups, 1 or more. Default: as many as fit into a page. */
  readonly limit?: number | undefined;
  /** Continue after this: the `last` of the page before. */
  readonly last?: string | undefined;
}

/**
 * The results by their names. Of no values, `avg`, `min` and `max` are null. `skipped` says how many items have no value of
 * the right type, and `exact` is false if a sum had to be rounded: where none was, they are absent.
 */
export type AggregateResults<T, Made extends Aggregates<T>> = {
  -readonly [Name in keyof Made]: ResultOf<T, Made[Name]>;
} & { skipped?: { -readonly [Name in keyof Made]?: number }; exact?: false };

type ResultOf<T, One> = One extends { readonly min: infer Path } | { readonly max: infer Path }
  ? ScalarAt<T, Path> | null
  : One extends { readonly avg: unknown }
    ? number | null
    : number;

type ScalarAt<T, Path> =
  unknown extends AttributeAt<Item<T>, Path & string>
    ? string | number | boolean
    : Extract<AttributeAt<Item<T>, Path & string>, string | number | boolean>;

/** A page of groups. */
export interface GroupedResults<T, Made extends Aggregates<T>, Groups extends readonly GroupBy<T>[]> {
  /** In `group`, what all items of the group have in common. A path without a value in them is absent. */
  groups: ({ group: GroupOf<T, Groups[number]> } & AggregateResults<T, Made>)[];
  /** What to continue after. Undefined when no more groups follow. */
  last: string | undefined;
}

type GroupOf<T, By> = {
  [One in By as NameOf<One>]?: One extends string ? AttributeAt<Item<T>, One> : string;
};
type NameOf<One> = One extends string
  ? One
  : One extends Readonly<Record<string, infer Path>>
    ? Path & string
    : never;
