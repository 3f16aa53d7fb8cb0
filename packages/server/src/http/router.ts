import FindMyWay from 'find-my-way';
import { type Right, rightOf } from '../access/rights.js';
import { badRequest, methodNotAllowed, notFound } from '../request-error.js';
import type { Handler, Method, RouteTable } from './call.js';
import { parseQueryString } from './query-string.js';

/** A method of a route, and who may use it. */
interface Operation {
  readonly handler: Handler;
  readonly right: Right;
}

type Operations = Partial<Readonly<Record<Method, Operation>>>;

export interface Route {
  /** The pattern, for the log: it contains no name of a project, base, key or file. */
  readonly pattern: string;
  readonly operations: Operations;
  /** Methods that exist only with a parameter in the query string, by the parameter. */
  readonly withParameter: ReadonlyMap<string, Operations>;
}

export interface Match extends Operation {
  readonly route: Route;
  readonly params: Readonly<Record<string, string | undefined>>;
}

export interface Router {
  /**
   * Throws the `RequestError` of an unknown path (404), a method that it does not have (405) or a broken path (400).
   */
  match(method: string, path: string, query?: string): Match;
}

/** More than any name can have: Node limits the whole head of a request. */
const maxParamLength = 64 * 1024;

/**
 * One tree of patterns (find-my-way: the router of Fastify, measured here at 2–5 % of a bare answer). The tree
 * holds patterns only, so that a known path with another method (405) is distinguished from an unknown path (404).
 * Throws if the table of rights has no line for one of the operations.
 */
export function createRouter(routes: RouteTable): Router {
  const tree = FindMyWay({ maxParamLength, caseSensitive: true, onBadUrl: () => {} });
  const all = Object.entries(routes).map(
    ([pattern, handlers]) => [pattern, operationsOf(pattern, handlers)] as const,
  );
  for (const [pattern, operations] of all) {
    if (pattern.includes('?')) continue;
    const withParameter = new Map(
      all
        .filter(([other]) => other.startsWith(`${pattern}?`))
        .map(([other, more]) => [other.slice(pattern.length + 1), more]),
    );
    tree.on('GET', pattern, () => {}, { pattern, operations, withParameter } satisfies Route);
  }
  return {
    match(method, path, query = '') {
      const found = tree.find('GET', path);
      if (found === null) throw notFound();
      const route = found.store as Route | null;
      if (route === null) throw badRequest('path: its percent-encoding is broken');
      const operations = askedOperations(route, query);
      const operation = operations[(method === 'HEAD' ? 'GET' : method) as Method];
      if (operation === undefined) throw methodNotAllowed(allowedMethods(operations));
      return { route, handler: operation.handler, right: operation.right, params: found.params };
    },
  };
}

function operationsOf(pattern: string, handlers: RouteTable[string]): Operations {
  const operations = Object.entries(handlers).map(([method, handler]) => {
    const right = rightOf(method, pattern);
    if (right === undefined) throw new Error(`access/rights.ts has no line for ${method} ${pattern}`);
    // The key of a request is compared with the project of its path.
    if (right.rank > 0 && !pattern.includes('/:project')) throw new Error(`${pattern} has no project`);
    return [method, { handler, right }] as const;
  });
  return Object.fromEntries(operations);
}

function askedOperations({ operations, withParameter }: Route, query: string): Operations {
  if (query === '' || withParameter.size === 0) return operations;
  const parameters = parseQueryString(query);
  const isGiven = (name: string) => !['', 'false'].includes(parameters.get(name) ?? '');
  const given = Array.from(withParameter).filter(([name]) => isGiven(name));
  return Object.assign({}, operations, ...given.map(([, more]) => more));
}

function allowedMethods(operations: Operations): string {
  const methods = Object.keys(operations);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
