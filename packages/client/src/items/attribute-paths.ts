/**
 * The attribute paths of a type: `'name'`, `'home.city'`, `'tags.0'` (docs/http.md#items). The compiler checks six
 * levels; below them it accepts any string. No path reaches an attribute whose own name has a dot.
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

/** The attribute names of a type that an item in JSON can have. */
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

/** The type at a path of a type. It includes `undefined` for optional attributes and for elements of lists. */
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
