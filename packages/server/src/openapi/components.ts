import { naming, type Schema } from '../json/schema.js';

/** The schemas that have names: documents refer to them instead of repeating them. */
export type Components = ReturnType<typeof createComponents>;

/** Throws if two schemas have the same name. */
export function createComponents() {
  /** All schemas that were referred to, by their names. */
  const schemas: Record<string, Schema> = {};
  const origins = new Map<string, Schema>();

  /** The schema as a document has it, with references in the places of those that have names. */
  function refer(schema: Schema): Schema {
    const origin = schema[naming];
    if (origin === undefined) return contentOf(schema);
    const { name } = origin;
    if (!origins.has(name)) {
      origins.set(name, origin.schema);
      schemas[name] = {};
      schemas[name] = contentOf(origin.schema);
    }
    if (origins.get(name) !== origin.schema) throw new Error(`Two schemas have the name ${name}`);
    const { description } = schema;
    const isDescribed = description !== undefined && description !== origin.schema.description;
    return { $ref: `#/components/schemas/${name}`, ...(isDescribed && { description }) };
  }

  function contentOf(schema: Schema): Schema {
    const { properties, items, additionalProperties, anyOf } = schema;
    return {
      ...schema,
      ...(properties && { properties: mapValues(properties, refer) }),
      ...(items && { items: refer(items) }),
      ...(typeof additionalProperties === 'object' && {
        additionalProperties: refer(additionalProperties),
      }),
      ...(anyOf && { anyOf: anyOf.map(refer) }),
    };
  }

  return { refer, schemas };
}

export function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
}
