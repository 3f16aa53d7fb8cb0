import type { AttributeAt, AttributePath } from './attribute-paths.js';
import type { UpdateItemRequest } from './http-types.js';
import type { Item, Storable } from './item.js';

type Operation = 'increment' | 'append' | 'prepend' | 'trim';

/** A change of an attribute that is not simply its new value. Made by the functions of `util`. */
export class Action<Kind extends Operation = Operation, Value = unknown> {
  constructor(
    readonly operation: Kind,
    readonly value: Value,
  ) {}
}

/** What an update may do to an attribute besides setting it. */
export interface Util {
  /**
   * Adds to a number, exactly; a missing attribute counts as 0. The update is refused where there is no number.
   * @param value may be negative; 1 when it is left out
   * @example await users.update({ age: util.increment() }, 'ada');
   */
  increment(value?: number | bigint): Action<'increment', number | bigint>;
  /**
   * Removes the attribute. One that is missing is no error.
   * @example await users.update({ nick: util.trim() }, 'ada');
   */
  trim(): Action<'trim', undefined>;
  /**
   * Puts a value, or every element of an array, behind a list. A missing attribute becomes the list; the update is
   * refused where there is no list. A list as one element: `append([[1, 2]])`.
   * @example await users.update({ tags: util.append('math') }, 'ada');
   */
  append<const Element>(value: Element | readonly Element[]): Action<'append', readonly Element[]>;
  /**
   * Puts a value, or every element of an array in their order, before a list. Else as `append`.
   * @example await users.update({ tags: util.prepend(['first', 'second']) }, 'ada');
   */
  prepend<const Element>(value: Element | readonly Element[]): Action<'prepend', readonly Element[]>;
}

const listOf = <Element>(value: Element | readonly Element[]): readonly Element[] =>
  Array.isArray(value) ? value : [value as Element];

/**
 * The changes of an update that are not simply a new value.
 * @example await users.update({ age: util.increment(), tags: util.append('new'), old: util.trim() }, 'ada');
 */
export const util: Util = {
  increment: (value = 1) => new Action('increment', value),
  trim: () => new Action('trim', undefined),
  append: (value) => new Action('append', listOf(value)),
  prepend: (value) => new Action('prepend', listOf(value)),
};

/** Attribute paths, each with its new value or an action. Those with `undefined` are left as they are. */
export type Updates<T = unknown> = unknown extends T
  ? { readonly [path: string]: unknown }
  : {
      readonly [Path in Exclude<AttributePath<Item<T>> & string, 'key'>]?: Change<AttributeAt<Item<T>, Path>>;
    };

type Change<V> =
  | Storable<V>
  | (unknown extends V ? Action : never)
  | (NonNullable<V> extends number | bigint ? Action<'increment', number | bigint> : never)
  | (undefined extends V ? Action<'trim', undefined> : never)
  | ListChange<NonNullable<V>>;

type ListChange<V> = V extends readonly (infer Element)[]
  ? Action<'append' | 'prepend', readonly Storable<Element>[]>
  : never;

/** The members that the updates need, and no others. */
export function updateBody(updates: Updates, expires: { __expires?: number }): UpdateItemRequest {
  // Without prototypes: a path may be `__proto__`.
  const members: Partial<Record<Operation | 'set', Record<string, unknown>>> = {};
  const put = (member: Operation | 'set', path: string, value: unknown) => {
    members[member] ??= Object.create(null) as Record<string, unknown>;
    members[member][path] = value;
  };
  for (const [path, change] of Object.entries<unknown>({ ...updates, ...expires })) {
    if (change instanceof Action) put(change.operation, path, change.value);
    else if (change !== undefined) put('set', path, change);
  }
  const { trim, ...changes } = members;
  return { ...(changes as UpdateItemRequest), ...(trim ? { delete: Object.keys(trim) } : {}) };
}

/**
 * Whether an update that was done twice leaves what it leaves when done once: one that only sets, and removes
 * attributes by name. (Behind an element that is removed from a list the others move up.)
 */
export function isRepeatable({ increment, append, prepend, delete: removed }: UpdateItemRequest): boolean {
  const adds = [increment, append, prepend].some((member) => Object.keys(member ?? {}).length > 0);
  return !adds && !removed?.some((path) => /\.\d+$/.test(path));
}
