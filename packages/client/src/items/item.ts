/** An item as it comes back: an object with its `key`. A value that is not an object is in the attribute `value`. */
export type Item<T = unknown> = ItemOf<T, T>;

/**
 * `Each` is one type of the union `T`. In a class with a type parameter, the compiler takes the constraint of the
 * parameter for `Each`, and leaves `T`: so the item counts as a `T`, and has the attributes of the constraint.
 */
type ItemOf<Each, T> = Each extends Listed
  ? { key: string; value: Each }
  : Each extends object
    ? Each & T & { key: string }
    : unknown extends Each
      ? { key: string; [attribute: string]: unknown }
      : { key: string; value: Each };

/** What a base of `T` can store: a `T` with or without its `key`, without types that JSON changes. */
export type Data<T = unknown> = IsKnown<T> extends true ? DataOf<T> : T | Item<T>;

type DataOf<T> = T extends Listed
  ? Storable<T>
  : T extends { key: unknown }
    ? Storable<Omit<T, 'key'>> & { key?: string }
    : T extends object
      ? Storable<T> & { key?: string }
      : T;

/**
 * Whether `T` is known. It is not for `unknown`; nor is a type parameter: `IsKnown<T> extends true ? A : B` accepts what
 * is a `B` then, because the compiler considers whether the condition may hold for any `T` with `any` in its place.
 */
export type IsKnown<T> = [unknown] extends [T] ? false : true;

/**
 * `T`, with a message in place of every type whose values would come back as something else. A Date comes back as a
 * string: declare the attribute as `string`, and store `date.toISOString()`.
 */
export type Storable<T> = T extends ChangedByJson
  ? 'JSON changes this value. Convert it to a string, a list or a plain object, for example by date.toISOString()'
  : T extends Primitive | Callable
    ? T
    : T extends object
      ? { [Name in keyof T]: Storable<T[Name]> }
      : T;

/** Types that change in JSON: dates, URLs and others with `toJSON`; collections; bytes. */
type ChangedByJson =
  | { toJSON(key?: never): unknown }
  | ReadonlyMap<never, unknown>
  | ReadonlySet<never>
  | WeakMap<never, unknown>
  | RegExp
  | ArrayBuffer
  | ArrayBufferView;
/** Also matches branded strings and numbers, which are intersections with an object type. */
type Primitive = string | number | bigint | boolean | null | undefined;
type Callable = (...parameters: never[]) => unknown;
type Listed = readonly unknown[];
