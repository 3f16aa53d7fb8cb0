import FindMyWay from 'find-my-way';
import { badRequest, methodNotAllowed, notFound } from '../request-error.js';
import type { Handler, Method, RouteTable } from './call.js';
import { parseQueryString } from './query-string.js';

type Handlers = Partial<Readonly<Record<Method, Handler>>>;

export interface Route {
  /** The pattern, for the log: it contains no name of a project, base, key or file. */
  readonly pattern: string;
  readonly handlers: Handlers;
  /** Methods that exist only with a parameter in the query string, by the parameter. */
  readonly withParameter: ReadonlyMap<string, Handlers>;
}

export interface Match {
  readonly route: Route;
  readonly handler: Handler;
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
 */
export function createRouter(routes: RouteTable): Router {
  const tree = FindMyWay({ maxParamLength, caseSensitive: true, onBadUrl: () => {} });
  for (const [pattern, handlers] of Object.entries(routes)) {
    if (pattern.includes('?')) continue;
    const withParameter = new Map(
      Object.entries(routes)
        .filter(([other]) => other.startsWith(`${pattern}?`))
        .map(([other, more]) => [other.slice(pattern.length + 1), more]),
    );
    tree.on('GET', pattern, () => {}, { pattern, handlers, withParameter } satisfies Route);
  }
  return {
    match(method, path, query = '') {
      const found = tree.find('GET', path);
      if (found === null) throw notFound();
      const route = found.store as Route | null;
      if (route === null) throw badRequest('path: its percent-encoding is broken');
      const handlers = handlersOf(route, query);
      const handler = handlers[(method === 'HEAD' ? 'GET' : method) as Method];
      if (handler === undefined) throw methodNotAllowed(allowedMethods(handlers));
      return { route, handler, params: found.params };
    },
  };
}

function handlersOf({ handlers, withParameter }: Route, query: string): Handlers {
  if (query === '' || withParameter.size === 0) return handlers;
  const parameters = parseQueryString(query);
  const isGiven = (name: string) => !['', 'false'].includes(parameters.get(name) ?? '');
  const given = Array.from(withParameter).filter(([name]) => isGiven(name));
  return Object.assign({}, handlers, ...given.map(([, more]) => more));
}

function allowedMethods(handlers: Handlers): string {
  const methods = Object.keys(handlers);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
