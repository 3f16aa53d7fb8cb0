import type { AttributeAt, AttributePath } from './attribute-paths.js';
import type { Item } from './item.js';

/**
 * What items to find: conditions that must all hold, or a list of such objects of which one must. A condition is an
 * attribute path, or a path and an operator, with an operand: `{'age?gte': 18, 'home.city': 'Oslo'}`.
 */
export type Query<T = unknown> = Conditions<T> | readonly Conditions<T>[];

/** Conditions that must all hold. One whose operand is `undefined` is left out, as JSON does. */
export type Conditions<T = unknown> = unknown extends T
  ? { readonly [condition: string]: unknown }
  : { readonly [Condition in ConditionOf<Item<T>>]?: Operand<Item<T>, Condition> };

type ConditionOf<T> = Spelled<T, AttributePath<T> & string>;

/** Every path with every operator that its type has. Spread over the paths one by one. */
type Spelled<T, Path extends string> = Path extends 'key'
  ? 'key' | `key?${KeyOperator}`
  : Path extends string
    ? Path | `${Path}?${OperatorAt<AttributeAt<T, Path>>}`
    : never;

type Ordering = 'lt' | 'gt' | 'lte' | 'gte' | '<' | '>' | '<=' | '>=';
type Containing = 'contains' | 'not_contains' | '!contains';
/** "`?ne`, `?contains` and `?not_contains` are not for keys" */
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

/** Only texts can be looked for in a list. */
type ContainsOf<Element> = Extract<Element, string> extends never ? never : Containing;

/** The last `?` parts path and operator. */
type Operand<T, Condition extends string> = Condition extends `${infer Path}?${infer Operator}`
  ? OperandOf<AttributeAt<T, Path>, Operator>
  : EqualTo<AttributeAt<T, Condition>>;

/** `null` also stands for an attribute that the item lacks. */
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

/** A comparison is with any number or any text, not only with those that the attribute may have. */
type OrderedLike<V> = unknown extends V ? Numeric | string : Comparable<NonNullable<V>>;
type Comparable<V> = V extends Numeric ? Numeric : V extends string ? string : never;
