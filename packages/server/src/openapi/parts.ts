import type { Content, Parameter, Reference, RequestBody, Response, Responses, Schema } from './types.js';

/** What the descriptions of operations are made of. */

/** A schema of `schemas.ts`, by its name. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function object(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = Object.keys(properties),
): Schema {
  return { type: 'object', properties, required };
}

export function list(items: Schema, bounds: Pick<Schema, 'minItems' | 'maxItems'> = {}): Schema {
  return { type: 'array', items, ...bounds };
}

export const text: Schema = { type: 'string' };
export const count: Schema = { type: 'integer', minimum: 0 };
/** Whole seconds since 1970 UTC. */
export const seconds: Schema = { type: 'integer', description: 'Whole seconds since 1970 UTC' };

/** Whole seconds from now on, by the clock of the service (docs/http.md#expires_in). */
export const secondsAhead: Schema = { type: 'integer', minimum: 0, maximum: 315_360_000_000 };

/** The same, or `null`, which means the same as an absent member. */
export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] };
}

function jsonContent(schema: Schema): Content {
  return { 'application/json': { schema } };
}

/** The schema of NDJSON is that of a line. */
export function linesContent(schema: Schema): Content {
  return { 'application/x-ndjson': { schema } };
}

/** Any bytes, of the type that they were stored with. */
export const bytesContent: Content = { '*/*': { schema: {} } };

export function jsonBody(schema: Schema, required = true): RequestBody {
  return { required, content: jsonContent(schema) };
}

export function jsonAnswer(description: string, schema: Schema): Response {
  return { description, content: jsonContent(schema) };
}

/** A parameter of the query string. */
export function query(name: string, description: string, schema: Schema = text): Parameter {
  return { name, in: 'query', description, schema };
}

export function required(parameter: Parameter): Parameter {
  return { ...parameter, required: true };
}

export function pathParameter(name: string, description: string): Parameter {
  return { name, in: 'path', required: true, description, schema: text };
}

export function header(name: string, description: string): Parameter {
  return { name, in: 'header', description, schema: text };
}

/** The parameters of lists that are read page by page. */
export const pageParameters: readonly Parameter[] = [
  query('limit', 'How many at most; a larger number means 1000', {
    type: 'integer',
    minimum: 1,
    default: 1000,
  }),
  query('last', 'Continue after this one: `paging.last` of the page before'),
];

export const conditionsOfWrite: readonly Parameter[] = [
  header('If-None-Match', '`*`: only if there is no such file. ETags: unless the file has one of them'),
  header('If-Match', '`*`: only if there is such a file. ETags: only if the file has one of them'),
];

const failureNames: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  408: 'RequestTimeout',
  409: 'Conflict',
  412: 'PreconditionFailed',
  413: 'TooLarge',
  415: 'UnsupportedType',
  417: 'ExpectationFailed',
  429: 'TooManyRequests',
  431: 'HeadTooLarge',
  500: 'InternalError',
  503: 'StorageUnavailable',
};

/** The failures with these statuses, described in `failures.ts`. */
export function failures(...statuses: readonly number[]): Responses {
  return Object.fromEntries(statuses.map((status) => [String(status), failure(failureNames[status] ?? '')]));
}

/** 413 of the file API is a page of HTML. */
export const pageTooLarge: Responses = { 413: failure('PageTooLarge') };

function failure(name: string): Reference {
  return { $ref: `#/components/responses/${name}` };
}
