import type { Described, Find } from './description.js';
import type { Exchange } from './recording.js';

/** A proxy's form of a target, or what is no target at all: requests that are there to be refused. */
const isNoPath = (path: string) => !path.startsWith('/');
/** The pages of the console are no API. */
const isOfConsole = (path: string) => path === '/' || path.startsWith('/assets/');

/** Compares exchanges with a description, and collects what they show. */
export interface Comparison {
  add(exchange: Exchange): void;
  /** What was seen and is not described, or described otherwise: each once. */
  readonly problems: ReadonlySet<string>;
  /** What was seen, as `putItems 207`, `listFiles ?prefix`, `putItems < application/x-ndjson`, `code not_found`. */
  readonly seen: ReadonlySet<string>;
}

/** Answers of paths and methods that do not exist, and of preflights, belong to no operation. */
const ofNoOperation = [204, 400, 404, 405, 408, 413, 417, 431];

export function createComparison(find: Find): Comparison {
  const problems = new Set<string>();
  const seen = new Set<string>();

  function compareRequest(operation: Described, exchange: Exchange, search: string): void {
    const { requestType, requestBody, status } = exchange;
    const { operationId, queryParameters } = operation;
    for (const name of new URLSearchParams(search).keys()) {
      if (queryParameters.has(name)) seen.add(`${operationId} ?${name}`);
    }
    // A body on an operation that takes none is ignored.
    const type = typeIn(operation.requestTypes, requestType);
    if (status >= 300 || type === undefined || requestBody === undefined || requestBody === '') return;
    seen.add(`${operationId} < ${type}`);
    // Not everything that is refused may be described, but everything that is accepted.
    const problem = /json/.test(type) ? operation.requestProblem(type, requestBody) : undefined;
    // An import takes good lines and refuses bad ones.
    if (problem !== undefined && type !== 'application/x-ndjson')
      problems.add(`${operationId} request: ${problem}`);
  }

  function compareAnswer(operation: Described, { method, status, answerType, answerBody }: Exchange): void {
    const { operationId } = operation;
    const types = operation.answerTypes(status);
    if (types === undefined) {
      problems.add(`${operationId} ${status}: not described (${answerBody?.slice(0, 200)})`);
      return;
    }
    seen.add(`${operationId} ${status}`);
    if (method === 'HEAD' || (types.length === 0 && !answerBody)) return;
    const type = typeIn(types, answerType);
    if (type === undefined) {
      problems.add(`${operationId} ${status}: content type ${answerType}, described ${types.join(', ')}`);
      return;
    }
    if (type === '*/*' || answerBody === undefined) return;
    const problem = operation.answerProblem(status, type, answerBody);
    if (problem !== undefined) problems.add(`${operationId} ${status}: ${problem}`);
  }

  return {
    problems,
    seen,
    add(exchange) {
      for (const code of codesOf(exchange)) seen.add(`code ${code}`);
      const [path = '', search = ''] = exchange.target.split('?');
      if (isNoPath(path) || isOfConsole(path)) return;
      const operation = find(exchange.method, path);
      if (operation === undefined) {
        if (!ofNoOperation.includes(exchange.status))
          problems.add(`${exchange.method} ${path}: answered ${exchange.status}, not described`);
        return;
      }
      // A method that exists only with a parameter.
      if (exchange.status === 405) return;
      compareRequest(operation, exchange, search);
      compareAnswer(operation, exchange);
    },
  };
}

/** The codes of what is wrong, in an error or in the lines of an import. */
function codesOf({ answerType, answerBody = '' }: Exchange): readonly string[] {
  if (!/json/.test(answerType ?? '')) return [];
  return Array.from(answerBody.matchAll(/"codes":(\[\{"code":.*?\}\])/g), ([, list = '[]']) => list).flatMap(
    (list) => Array.from(list.matchAll(/\{"code":"(\w+)"/g), ([, code = '']) => code),
  );
}

/** The described type that a `Content-Type` is. */
function typeIn(types: readonly string[], given: string | undefined): string | undefined {
  const plain = given?.split(';')[0]?.trim().toLowerCase() ?? '';
  return types.find((type) => type === plain) ?? types.find((type) => type === '*/*');
}

/** What the description has and no exchange showed. `unseen` lists what need not be shown. */
export function notSeen(
  all: readonly Described[],
  seen: ReadonlySet<string>,
  isExcused: (what: string) => boolean,
): readonly string[] {
  return all
    .flatMap(({ operationId, statuses, queryParameters, requestTypes }) => [
      ...statuses.map((status) => `${operationId} ${status}`),
      ...[...queryParameters].map((name) => `${operationId} ?${name}`),
      ...requestTypes.map((type) => `${operationId} < ${type}`),
    ])
    .filter((what) => !seen.has(what) && !isExcused(what));
}
