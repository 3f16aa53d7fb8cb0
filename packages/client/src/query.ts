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
    ? Path | `${Path}?${OperatorFor<NonNullable<AttributeAt<T, Path>>>}`
    : never;

type Ordering = 'lt' | 'gt' | 'lte' | 'gte' | '<' | '>' | '<=' | '>=';
type Containing = 'contains' | 'not_contains' | '!contains';
/** "`?ne`, `?contains` and `?not_contains` are not for keys" */
type KeyOperator = Ordering | 'pfx' | 'r';
type Numeric = number | bigint;

type OperatorFor<V> = unknown extends V
  ? 'ne' | '!=' | Ordering | Containing | 'pfx' | 'r'
  :
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
  ? OperandOf<NonNullable<AttributeAt<T, Path>>, AttributeAt<T, Path>, Operator>
  : Exclude<AttributeAt<T, Condition>, undefined>;

type OperandOf<V, Whole, Operator> = Operator extends 'ne' | '!='
  ? Exclude<Whole, undefined>
  : Operator extends 'pfx' | Containing
    ? string
    : Operator extends Ordering
      ? Ordered<V>
      : Operator extends 'r'
        ? readonly [from: Ordered<V>, to: Ordered<V>]
        : never;

/** A comparison is with any number or any text, not only with those that the attribute may have. */
type Ordered<V> = unknown extends V
  ? Numeric | string
  : (V extends Numeric ? Numeric : never) | (V extends string ? string : never);
