/**
 * JSON Schema 2020-12, as far as the API needs it. `Value` is the TypeScript type of what a schema describes, so that
 * both have one source. TypeBox does the same and much more: loading it takes 15 MB of memory and 60 ms of every start.
 */
export interface Schema<Value = unknown> {
  readonly [value]?: Value;
  /** The name of the schema, and the schema that has it: this one may differ in its description. JSON shows neither. */
  readonly [naming]?: { readonly name: string; readonly schema: Schema };
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly minProperties?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
}

declare const value: unique symbol;
export const naming = Symbol('naming');

type JsonType = 'array' | 'boolean' | 'integer' | 'null' | 'number' | 'object' | 'string';

/** The type of the values that a schema describes. */
export type ValueOf<S> = S extends Schema<infer Value> ? Value : never;

/** A member that may be absent. */
export interface Optional<Value> {
  readonly optional: Schema<Value>;
}

type Member = Schema | Optional<unknown>;
export type Members = Readonly<Record<string, Member>>;
type MemberValue<M> = M extends Optional<infer Value> ? Value : ValueOf<M>;
type OptionalNames<M> = { [Name in keyof M]: M[Name] extends Optional<unknown> ? Name : never }[keyof M];
type Flat<T> = { [Name in keyof T]: T[Name] };

export type ObjectOf<M extends Members> = Flat<
  { readonly [Name in Exclude<keyof M, OptionalNames<M>>]: MemberValue<M[Name]> } & {
    readonly [Name in OptionalNames<M>]?: MemberValue<M[Name]>;
  }
>;

/** The schema of an object, whose members its reader asks for their names and limits. */
export interface ObjectSchema<M extends Members> extends Schema<ObjectOf<M>> {
  readonly properties: { readonly [Name in keyof M]: Schema<MemberValue<M[Name]>> };
}

type About = Pick<Schema, 'description' | 'default' | 'examples'>;

export const anything: Schema = {};
export const text: Schema<string> = { type: 'string' };
export const truth: Schema<boolean> = { type: 'boolean' };

export function string(rules: Pick<Schema, 'minLength' | 'maxLength' | 'pattern'> & About): Schema<string> {
  return { type: 'string', ...rules };
}

export function integer(rules: Pick<Schema, 'minimum' | 'maximum'> & About = {}): Schema<number> {
  return { type: 'integer', ...rules };
}

export function number(rules: Pick<Schema, 'minimum' | 'maximum'> & About = {}): Schema<number> {
  return { type: 'number', ...rules };
}

export function only<const Value extends string>(text: Value): Schema<Value> {
  return { const: text };
}

export function oneOf<const Values extends readonly string[]>(...values: Values): Schema<Values[number]> {
  return { enum: values };
}

export function list<Value>(
  items: Schema<Value>,
  rules: Pick<Schema, 'minItems' | 'maxItems'> & About = {},
): Schema<readonly Value[]> {
  return { type: 'array', items, ...rules };
}

/** An object of these members. Others are ignored if a request has them. */
export function object<const M extends Members>(
  members: M,
  rules: Pick<Schema, 'minProperties'> & About = {},
): ObjectSchema<M> {
  const isOptional = (member: Member): member is Optional<unknown> => 'optional' in member;
  const entries = Object.entries(members);
  const required = entries.filter(([, member]) => !isOptional(member)).map(([name]) => name);
  const properties = Object.fromEntries(
    entries.map(([name, member]) => [name, isOptional(member) ? member.optional : member]),
  );
  return {
    type: 'object',
    properties: properties as ObjectSchema<M>['properties'],
    ...(required.length > 0 && { required }),
    ...rules,
  };
}

/** An object of these members and no others. */
export function closed<const M extends Members>(
  members: M,
  rules: Pick<Schema, 'minProperties'> & About = {},
): ObjectSchema<M> {
  return { ...object(members, rules), additionalProperties: false };
}

/** An object of these members and any others. */
export function open<const M extends Members>(
  members: M,
  rules: About = {},
): Schema<ObjectOf<M> & { readonly [name: string]: unknown }> {
  return { ...object(members, rules), additionalProperties: true };
}

/** An object whose members have any names. */
export function record<Value>(of: Schema<Value>, rules: About = {}): Schema<Readonly<Record<string, Value>>> {
  return { type: 'object', additionalProperties: of, ...rules };
}

export function anyOf<const S extends readonly Schema[]>(...schemas: S): Schema<ValueOf<S[number]>> {
  return { anyOf: schemas };
}

export function optional<Value>(schema: Schema<Value>): Optional<Value> {
  return { optional: schema };
}

export function nullable<Value>(schema: Schema<Value>): Schema<Value | null> {
  return { anyOf: [schema, { type: 'null' }] };
}

/** A member that may be absent or `null`, which mean the same. */
export function orNull<Value>(schema: Schema<Value>): Optional<Value | null> {
  return optional(nullable(schema));
}

export function described<S extends Schema>(schema: S, description: string): S {
  return { ...schema, description };
}

/** Gives a schema the name under which documents and the client library have it. */
export function named<S extends Schema>(name: string, schema: S): S {
  return { ...schema, [naming]: { name, schema } };
}
