/**
 * Attribute paths of a type: `'name'`, `'home.city'`, `'tags.0'`. The compiler knows them to six levels; below that any
 * text goes. Attributes whose own name has a dot cannot be reached by a path, and are left out.
 */
export type AttributePath<T> = PathOf<T, []>;

type PathOf<T, Depth extends readonly 0[]> = unknown extends T
  ? string
  : T extends Leaf
    ? never
    : Depth['length'] extends 6
      ? string
      : T extends readonly (infer Element)[]
        ? ListIndex | `${ListIndex}.${PathOf<Element, [...Depth, 0]>}`
        : T extends object
          ? { [Name in NameOf<T>]: Name | `${Name}.${PathOf<T[Name], [...Depth, 0]>}` }[NameOf<T>]
          : never;

/** The attributes of a type, as texts: those that an item in JSON has. */
type NameOf<T> = {
  [Name in keyof T & (string | number)]: T[Name] extends Callable
    ? never
    : `${Name}` extends `${string}.${string}`
      ? never
      : Name & string;
}[keyof T & (string | number)];

type Callable = (...parameters: never[]) => unknown;
type Leaf = string | number | bigint | boolean | null | undefined | Date | Callable;
type ListIndex = `${number}`;

/** What stands at a path of a type. Attributes that may be absent, and elements of lists, may be `undefined`. */
export type AttributeAt<T, Path extends string> = unknown extends T
  ? unknown
  : T extends null | undefined
    ? undefined
    : Path extends keyof T
      ? T[Path]
      : T extends readonly (infer Element)[]
        ? Path extends ListIndex
          ? Element | undefined
          : Path extends `${ListIndex}.${infer Rest}`
            ? AttributeAt<Element, Rest>
            : never
        : Path extends `${infer Name}.${infer Rest}`
          ? Name extends keyof T
            ? AttributeAt<T[Name], Rest>
            : never
          : never;
