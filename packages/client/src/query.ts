import type { AttributeAt, AttributePath } from './attribute-paths.js';
import type { Item } from './item.js';

/**
 * Which items to find: an object of conditions that must all be true, or a list of objects of which one must match
 * (docs/http.md#query-items). A condition is an attribute path with or without an operator, and an operand:
 * `{'age?gte': 18, 'home.city': 'Oslo'}`.
 */
export type Query<T = unknown> = Conditions<T> | readonly Conditions<T>[];

/** Conditions that must all be true. A condition whose operand is `undefined` is left out. */
export type Conditions<T = unknown> = unknown extends T
  ? { readonly [condition: string]: unknown }
  : { readonly [Condition in ConditionOf<Item<T>>]?: Operand<Item<T>, Condition> };

type ConditionOf<T> = Spelled<T, AttributePath<T> & string>;

/** Every path with every operator that its type allows. Distributes over the union of paths. */
type Spelled<T, Path extends string> = Path extends 'key'
  ? 'key' | `key?${KeyOperator}`
  : Path extends string
    ? Path | `${Path}?${OperatorAt<AttributeAt<T, Path>>}`
    : never;

type Ordering = 'lt' | 'gt' | 'lte' | 'gte' | '<' | '>' | '<=' | '>=';
type Containing = 'contains' | 'not_contains' | '!contains';
/** Keys cannot be compared with `?ne`, `?contains` and `?not_contains`. */
type KeyOperator = Ordering | 'pfx' | 'r';
type Numeric = number | bigint;

type OperatorAt<V> = unknown extends V
  ? 'ne' | '!=' | Ordering | Containing | 'pfx' | 'r'
  : OperatorFor<NonNullable<V>>;

type OperatorFor<V> =
  | 'ne'
  | '!='
  | (V extends Numeric | string ? Ordering | 'r' : never)
  | (V extends string ? 'pfx' | Containing : never)
  | (V extends readonly (infer Element)[]
      ? string extends Element
        ? Containing
        : ContainsOf<Element>
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
  : Operator extends 'pfx' | Containing
    ? string
    : Operator extends Ordering
      ? OrderedLike<V>
      : Operator extends 'r'
        ? readonly [from: OrderedLike<V>, to: OrderedLike<V>]
        : never;

/** The operand of a comparison is any number or any string, not only those that the attribute can have. */
type OrderedLike<V> = unknown extends V ? Numeric | string : Comparable<NonNullable<V>>;
type Comparable<V> = V extends Numeric ? Numeric : V extends string ? string : never;
