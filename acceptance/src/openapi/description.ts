import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** The parts of an OpenAPI document that exchanges are compared with. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: { readonly ProblemCode: { readonly enum: readonly string[] } } };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
}

type Content = Readonly<Record<string, unknown>>;

interface Response {
  readonly $ref?: string;
  readonly content?: Content;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

/** An operation of the document, ready to be compared with. */
export interface Described {
  readonly operationId: string;
  readonly queryParameters: ReadonlySet<string>;
  readonly statuses: readonly string[];
  readonly requestTypes: readonly string[];
  /** The content types of the answer with this status; undefined if it is not described. */
  answerTypes(status: number): readonly string[] | undefined;
  /** What is wrong with a body of this type, or undefined. Of NDJSON, every line is looked at. */
  requestProblem(type: string, body: string): string | undefined;
  answerProblem(status: number, type: string, body: string): string | undefined;
}

/** Finds the operation of a request; undefined if the document has none. */
export type Find = (method: string, path: string) => Described | undefined;

const documentId = 'openapi';

/** Reads a document. Throws if one of its schemas is not valid. */
export function readDescription(document: Document): {
  readonly all: readonly Described[];
  readonly find: Find;
} {
  const ajv = new Ajv2020({ strict: true, allErrors: false, allowUnionTypes: true });
  // Members of OpenAPI's own are no words of JSON Schema.
  ajv.addVocabulary(Object.keys(document));
  ajv.addSchema({ ...document, $id: documentId }, documentId, true, false);
  const entries = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      pattern: patternOf(path),
      described: describe(pointer('paths', path, method), operation),
    })),
  );

  function pointer(...segments: readonly string[]): string {
    const escaped = segments.map((each) =>
      encodeURIComponent(each.replaceAll('~', '~0').replaceAll('/', '~1')),
    );
    return `#/${escaped.join('/')}`;
  }

  function validator(at: string): ValidateFunction {
    const found = ajv.getSchema(`${documentId}${at}`);
    if (found === undefined) throw new Error(`No schema at ${at}`);
    return found;
  }

  function describe(at: string, operation: Operation): Described {
    const { operationId, parameters = [], requestBody, responses } = operation;
    const placeOf = (status: number) => responses[status]?.$ref ?? `${at}/responses/${status}`;
    const responseOf = (status: number) => {
      const response = responses[status];
      return response?.$ref === undefined ? response : resolve(document, response.$ref);
    };
    return {
      operationId,
      queryParameters: new Set(
        parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name),
      ),
      statuses: Object.keys(responses),
      requestTypes: Object.keys(requestBody?.content ?? {}),
      answerTypes: (status) => {
        const response = responseOf(status);
        return response === undefined ? undefined : Object.keys(response.content ?? {});
      },
      requestProblem: (type, body) =>
        problem(validator(`${at}/requestBody/content/${pointer(type).slice(2)}/schema`), type, body),
      answerProblem: (status, type, body) =>
        problem(validator(`${placeOf(status)}/content/${pointer(type).slice(2)}/schema`), type, body),
    };
  }

  function problem(validate: ValidateFunction, type: string, body: string): string | undefined {
    const isLines = type === 'application/x-ndjson';
    const values = isLines ? body.split('\n').filter((line) => line.trim() !== '') : [body];
    for (const text of values) {
      const value = type.includes('json') ? parsed(text) : text;
      if (value === undefined) return `is no JSON: ${text.slice(0, 200)}`;
      if (!validate(value)) return `${ajv.errorsText(validate.errors)}: ${text.slice(0, 200)}`;
    }
    return undefined;
  }

  return {
    all: entries.map(({ described }) => described),
    find(method, path) {
      const asked = method === 'HEAD' ? 'GET' : method;
      const fitting = entries.filter((entry) => entry.method === asked && entry.pattern.test(path));
      // `/items/{key}` and `/query/count` are longer than what is like them in other ways.
      return fitting.sort((a, b) => b.pattern.source.length - a.pattern.source.length)[0]?.described;
    },
  };
}

/** The value of a JSON text, which is never undefined; undefined if the text is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A path that ends in `{path}` may have further segments. */
function patternOf(path: string): RegExp {
  const literal = path.replaceAll('.', '\\.');
  return new RegExp(`^${literal.replace(/\{path\}$/, '.*').replaceAll(/\{\w+\}/g, '[^/]*')}$`);
}

function resolve(document: Document, reference: string): Response {
  const segments = reference.slice(2).split('/');
  return segments.reduce<unknown>(
    (value, name) => (value as Record<string, unknown>)[name],
    document,
  ) as Response;
}
