import { invalid } from '../http/error.js';
import type { UpdateItemRequest } from '../http-types.js';
import type { AttributeAt, AttributePath } from '../items/attribute-paths.js';
import type { RequestExpiry } from '../items/expiry.js';
import type { IsKnown, Item, Storable } from '../items/item.js';
import { isObject } from '../items/new-item.js';

type Operation = 'increment' | 'append' | 'prepend' | 'trim';

/** A change of an attribute other than setting its value. The functions of `util` make them. */
export class Action<Kind extends Operation = Operation, Value = unknown> {
  constructor(
    readonly operation: Kind,
    readonly value: Value,
  ) {}
}

/** What an update can do to an attribute besides setting it. */
export interface Util {
  /**
   * Adds to a number, exactly. A missing attribute counts as 0. If the attribute is not a number, the update is
   * refused.
   * @param value default 1; may be negative
   * @example await users.update({ age: util.increment() }, 'ada');
   */
  increment(value?: number | bigint): Action<'increment', number | bigint>;
  /**
   * Removes the attribute. It is no error if the attribute is missing.
   * @example await users.update({ nick: util.trim() }, 'ada');
   */
  trim(): Action<'trim', undefined>;
  /**
   * Adds a value, or every element of an array, to the end of a list. A missing attribute becomes the list. If the
   * attribute is not a list, the update is refused. To add a list as one element: `append([[1, 2]])`.
   * @example await users.update({ tags: util.append('math') }, 'ada');
   */
  append<const Element>(value: Element | readonly Element[]): Action<'append', readonly Element[]>;
  /**
   * Adds a value, or every element of an array in their order, to the start of a list. Otherwise like `append`.
   * @example await users.update({ tags: util.prepend(['first', 'second']) }, 'ada');
   */
  prepend<const Element>(value: Element | readonly Element[]): Action<'prepend', readonly Element[]>;
}

const listOf = <Element>(value: Element | readonly Element[]): readonly Element[] =>
  Array.isArray(value) ? value : [value as Element];

/**
 * Actions for `update`: changes other than setting a value.
 * @example await users.update({ age: util.increment(), tags: util.append('new'), old: util.trim() }, 'ada');
 */
export const util: Util = {
  increment: (value = 1) => new Action('increment', value),
  trim: () => new Action('trim', undefined),
  append: (value) => new Action('append', listOf(value)),
  prepend: (value) => new Action('prepend', listOf(value)),
};

/** Attribute paths, each with its new value or an action. A path with `undefined` is left unchanged. */
export type Updates<T = unknown> =
  IsKnown<T> extends true
    ? {
        readonly [Path in Exclude<AttributePath<Item<T>> & string, 'key'>]?: Change<
          AttributeAt<Item<T>, Path>
        >;
      }
    : { readonly [path: string]: unknown };

type Change<V> =
  | Storable<V>
  | (unknown extends V ? Action : never)
  | (NonNullable<V> extends number | bigint ? Action<'increment', number | bigint> : never)
  | (undefined extends V ? Action<'trim', undefined> : never)
  | ListChange<NonNullable<V>>;

type ListChange<V> = V extends readonly (infer Element)[]
  ? Action<'append' | 'prepend', readonly Storable<Element>[]>
  : never;

/**
 * The request body: only the members that the updates need. Throws code `invalid` for what has no attributes, such as a list: its
 * elements would become attributes.
 */
export function updateBody(
  updates: Updates,
  { expires_in, ...attribute }: RequestExpiry = {},
): UpdateItemRequest {
  if (updates != null && !isObject(updates)) throw invalid('Updates must be an object');
  // Objects without a prototype, because a path may be `__proto__`.
  const members: Partial<Record<Operation | 'set', Record<string, unknown>>> = {};
  const put = (member: Operation | 'set', path: string, value: unknown) => {
    members[member] ??= Object.create(null) as Record<string, unknown>;
    members[member][path] = value;
  };
  for (const [path, change] of Object.entries<unknown>({ ...updates, ...attribute })) {
    if (change instanceof Action) put(change.operation, path, change.value);
    else if (change !== undefined) put('set', path, change);
  }
  const { trim, ...changes } = members;
  return { ...(changes as UpdateItemRequest), ...(trim ? { delete: Object.keys(trim) } : {}), expires_in };
}

/**
 * Whether doing an update twice has the same result as doing it once. This is true if it only sets attributes and
 * removes them by name. If it removes an element of a list, the elements after it move up, so the second time removes
 * another one. With a condition, the first time may make the second one fail. The item before is only known the first
 * time.
 */
export function isRepeatable(update: UpdateItemRequest): boolean {
  const { increment, append, prepend, delete: removed } = update;
  if (update.if !== undefined || update.return === 'old') return false;
  const adds = [increment, append, prepend].some((member) => Object.keys(member ?? {}).length > 0);
  return !adds && !removed?.some((path) => /\.\d+$/.test(path));
}
