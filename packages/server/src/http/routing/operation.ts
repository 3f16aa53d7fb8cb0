import type { Access, Names } from '../../access/rights.js';
import { described, integer, named, object, type Schema, string, text } from '../../json/schema.js';
import type { Answer, Call, Failure, Method } from '../requests/call.js';

/**
 * One operation of the API, whole: who may use it, what it takes and answers, and how it is done. The router, the rights,
 * the OpenAPI document, the tables of docs/http.md and the types of the client library come from these values.
 * `Services`: what the operation works with.
 */
export interface Operation<Services = never> {
  readonly method: Method;
  /**
   * `/v1/{project}/{base}/items/{key}`. `{name}` in place of `{base}` or `{drive}` means both. `{path...}` at the end
   * may have several segments. With `?all=true`, the operation exists only if the query string has the parameter `all`,
   * and it is neither empty nor `false`.
   */
  readonly path: `/${string}`;
  readonly access: Access;
  /** Absent: a key with a prefix is refused. */
  readonly names?: Names;
  /** The anchor of its section in docs/http.md; absent: that of its name, `get-item`. */
  readonly section?: string;
  readonly summary: string;
  readonly description?: string;
  /** Parameters of the path, the query string and the head. Those that say the project, base or drive are known. */
  readonly parameters?: readonly Parameter[];
  /** An operation that takes NDJSON gets the requests with such bodies; another one with the same path gets the others. */
  readonly request?: RequestBody;
  readonly answers: DescribedAnswers;
  /** The statuses of its failures, in addition to those that every operation, or every body like its own, may have. */
  readonly failures?: readonly number[];
  readonly handle: (call: Call, services: Services) => Answer | Promise<Answer>;
}

/** Makes an operation whose handler answers what `answers` says: anything else is no valid TypeScript. */
export function operation<Services, const Answers extends DescribedAnswers>(
  value: Omit<Operation<Services>, 'answers' | 'handle'> & {
    readonly answers: Answers;
    readonly handle: (call: Call, services: Services) => Given<Answers> | Promise<Given<Answers>>;
  },
): Operation<Services> {
  return value;
}

type Given<Answers> = AnswersOf<Answers> | Failure;

// What operations are described with, in the words of OpenAPI 3.1.

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

/** A body of one or several types. The schema of NDJSON is that of a line. */
export type Content<Value = unknown> = Readonly<Record<string, { readonly schema: Schema<Value> }>>;

export interface RequestBody {
  readonly description?: string;
  readonly required: boolean;
  readonly content: Content;
  /** What a body that is too large is answered with: errors as JSON, or the page of docs/http.md#put-file. */
  readonly tooLarge?: 'json' | 'page';
}

export interface DescribedAnswer<Value = unknown> {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>;
  readonly content?: Content<Value>;
}

/** By status. */
export type DescribedAnswers = Readonly<Record<number, DescribedAnswer>>;

/** The answers that are described so. */
export type AnswersOf<Answers> = {
  [Status in keyof Answers]: Answers[Status] extends DescribedAnswer<infer Value>
    ? Answer<NumberOf<Status>, Value>
    : never;
}[keyof Answers];

/** TypeScript makes texts of some numbers that are names of members. */
type NumberOf<Status> = Status extends number
  ? Status
  : Status extends `${infer Value extends number}`
    ? Value
    : never;

const linesType = 'application/x-ndjson';
/** Any bytes, of the type that they were stored with. */
const bytes: Content = { '*/*': { schema: {} } };

export function jsonBody(schema: Schema, rules: Partial<RequestBody> = {}): RequestBody {
  return { required: true, content: { 'application/json': { schema } }, tooLarge: 'json', ...rules };
}

export function linesBody(line: Schema): RequestBody {
  return { required: true, content: { [linesType]: { schema: line } } };
}

export function takesLines(request: RequestBody | undefined): boolean {
  return request?.content[linesType] !== undefined;
}

export function bytesBody(description: string): RequestBody {
  return { description, required: false, content: bytes, tooLarge: 'page' };
}

export function jsonAnswer<Value>(
  description: string,
  schema: Schema<Value>,
  rules: Pick<DescribedAnswer, 'headers'> = {},
): DescribedAnswer<Value> {
  return { description, ...rules, content: { 'application/json': { schema } } };
}

export function linesAnswer(description: string, line: Schema): DescribedAnswer {
  return { description, content: { [linesType]: { schema: line } } };
}

export function bytesAnswer(description: string): DescribedAnswer {
  return { description, content: bytes };
}

export function inPath(name: string, description: string): Parameter {
  return { name, in: 'path', required: true, description, schema: text };
}

/** A parameter of the query string. */
export function inQuery(name: string, description: string, schema: Schema = text): Parameter {
  return { name, in: 'query', description, schema };
}

export function required(parameter: Parameter): Parameter {
  return { ...parameter, required: true };
}

export function inHead(name: string, description: string): Parameter {
  return { name, in: 'header', description, schema: text };
}

/** Whole seconds since 1970 UTC. */
export const seconds = integer({ description: 'Whole seconds since 1970 UTC' });
export const count = integer({ minimum: 0 });
/** The key of an item. */
export const itemKey = string({ minLength: 1, maxLength: 1024 });

export const DeletedAll = named(
  'DeleteAllResponse',
  object({ deleted: described(count, 'Items that had expired are not counted') }),
);
