import type { AttributeAt, AttributePath } from './attribute-paths.js';
import type { IsKnown, Item } from './item.js';

/**
 * Which items to find: an object of conditions that must all be true, or a list of objects of which one must match
 * (docs/http.md#query-items). A condition is an attribute path with or without an operator, and an operand:
 * `{'age?gte': 18, 'home.city': 'Oslo'}`.
 */
export type Query<T = unknown> =
  IsKnown<T> extends true ? OneOrMore<KnownConditions<T>> : OneOrMore<AnyConditions>;

/**
 * Conditions that must all be true. A condition whose operand is `undefined` is left out; in an `if`, and in a query of
 * `deleteWhere` and `updateWhere`, it is refused.
 */
export type Conditions<T = unknown> = IsKnown<T> extends true ? KnownConditions<T> : AnyConditions;

type OneOrMore<One> = One | readonly One[];
type KnownConditions<T> = { readonly [Condition in ConditionOf<Item<T>>]?: Operand<Item<T>, Condition> };
type AnyConditions = { readonly [condition: string]: unknown };

type ConditionOf<T> = Spelled<T, AttributePath<T> & string>;

/** Every path with every operator that its type allows. Distributes over the union of paths. */
type Spelled<T, Path extends string> = Path extends 'key'
  ? 'key' | `key?${KeyOperator}`
  : Path extends string
    ? Path | `${Path}?${OperatorAt<AttributeAt<T, Path>>}`
    : never;

type Ordering = 'lt' | 'gt' | 'lte' | 'gte' | '<' | '>' | '<=' | '>=';
type Containing = 'contains' | 'not_contains' | '!contains';
type IgnoringCase = 'icontains' | 'ipfx';
type Member = 'in' | 'not_in';
/** Every attribute can be tested for equality and presence. */
type General = 'ne' | '!=' | Member | 'exists';
/** Keys can only be compared by their order and beginning. */
type KeyOperator = Ordering | 'pfx' | 'r';
type Numeric = number | bigint;

type OperatorAt<V> = unknown extends V
  ? General | Ordering | Containing | IgnoringCase | 'pfx' | 'r' | 'has'
  : OperatorFor<NonNullable<V>>;

type OperatorFor<V> =
  | General
  | (V extends Numeric | string ? Ordering | 'r' : never)
  | (V extends string ? 'pfx' | Containing | IgnoringCase : never)
  | (V extends readonly (infer Element)[]
      ? 'has' | (string extends Element ? Containing : ContainsOf<Element>)
      : never);

/** `?contains` takes a string, so it is only for lists that can have strings. */
type ContainsOf<Element> = Extract<Element, string> extends never ? never : Containing;

/** The last `?` separates path and operator. */
type Operand<T, Condition extends string> = Condition extends `${infer Path}?${infer Operator}`
  ? OperandOf<AttributeAt<T, Path>, Operator>
  : EqualTo<AttributeAt<T, Condition>>;

/** `null` also matches an item without the attribute. */
type EqualTo<V> = Exclude<V, undefined> | (undefined extends V ? null : never);

type OperandOf<V, Operator> = Operator extends 'ne' | '!='
  ? EqualTo<V>
  : Operator extends 'pfx' | Containing | IgnoringCase
    ? string
    : Operator extends Ordering
      ? OrderedLike<V>
      : Operator extends 'r'
        ? readonly [from: OrderedLike<V>, to: OrderedLike<V>]
        : Operator extends Member
          ? readonly Exclude<V, undefined>[]
          : Operator extends 'exists'
            ? boolean
            : Operator extends 'has'
              ? ElementOf<V>
              : never;

/** What the elements of a list can be. */
type ElementOf<V> = unknown extends V ? unknown : V extends readonly (infer Element)[] ? Element : never;

/** The operand of a comparison is any number or any string, not only those that the attribute can have. */
type OrderedLike<V> = unknown extends V ? Numeric | string : Comparable<NonNullable<V>>;
type Comparable<V> = V extends Numeric ? Numeric : V extends string ? string : never;

/** A path that does not lead through a list. */
export type PlainPath<T = unknown> =
  IsKnown<T> extends true ? ThroughObjects<AttributePath<Item<T>> & string> : string;

/** A path of the option `order`, optionally with a `-` in front. It must not lead through a list. */
export type OrderPath<T = unknown> = IsKnown<T> extends true ? Signed<PlainPath<T>> : string;

type Signed<Path extends string> = Path | `-${Path}`;
type ThroughObjects<Path> = Path extends string ? (HasIndex<Path> extends true ? never : Path) : never;
type HasIndex<Path extends string> = Path extends `${infer First}.${infer Rest}`
  ? First extends `${number}`
    ? true
    : HasIndex<Rest>
  : Path extends `${number}`
    ? true
    : false;

/** A path of the option `select`. */
export type SelectPath<T = unknown> = IsKnown<T> extends true ? AttributePath<Item<T>> & string : string;

/** An item of a query with `select`: the key and the selected parts of the other attributes. */
export type Selected<T = unknown> = { key: string } & PartOf<Item<T>>;

type PartOf<V> = unknown extends V
  ? V
  : V extends readonly (infer Element)[]
    ? PartOf<Element>[]
    : V extends object
      ? { [Name in keyof V]?: PartOf<V[Name]> }
      : V;
