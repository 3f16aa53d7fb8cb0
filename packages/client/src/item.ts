/** An item as it comes back: an object with its `key`; a value that is no object stands in the attribute `value`. */
export type Item<T = unknown> = unknown extends T
  ? { key: string; [attribute: string]: unknown }
  : T extends Listed
    ? { key: string; value: T }
    : T extends object
      ? T & { key: string }
      : { key: string; value: T };

/** What may be stored in a base of `T`: with its `key`, or without. */
export type Data<T = unknown> = unknown extends T
  ? unknown
  : T extends Listed
    ? T
    : T extends { key: unknown }
      ? Omit<T, 'key'> & { key?: string }
      : T extends object
        ? T & { key?: string }
        : T;

type Listed = readonly unknown[];

/** When an item expires: at most one of the two. */
export interface Expiry {
  /** Seconds from now. */
  readonly expireIn?: number | undefined;
  /** A moment; a number is whole seconds since 1970 UTC. */
  readonly expireAt?: Date | number | undefined;
}
