import FindMyWay from 'find-my-way';
import { type Right, rightOf } from '../../access/rights.js';
import { methodNotAllowed, notFound, refused } from '../../request-error.js';
import type { Handler, Method, RequestHeaders } from '../requests/call.js';
import { isNdjson } from '../requests/content-type.js';
import { parseQueryString } from '../requests/query-string.js';
import { type Operation, takesLines } from './operation.js';

/** What the router needs of an operation. The pages of the console, which are no operations, have no more. */
export type Route<Services> = Pick<
  Operation<Services>,
  'method' | 'path' | 'access' | 'names' | 'request' | 'handle'
>;

/** Where a request arrives. */
export interface Endpoint {
  /** The pattern, for the log: it contains no name of a project, base, key or file. */
  readonly pattern: string;
  readonly right: Right;
  readonly handle: Handler;
}

export interface Match extends Endpoint {
  readonly params: Readonly<Record<string, string | undefined>>;
}

export type Router = ReturnType<typeof createRouter>;

/** `ofLines` gets the requests with NDJSON instead. */
type Endpoints = Partial<Record<Method, Endpoint & { readonly ofLines?: Endpoint }>>;

/** What is at a path. */
interface AtPath {
  readonly endpoints: Endpoints;
  /** Methods that exist only with a parameter in the query string, by the parameter. */
  readonly withParameter: Map<string, Endpoints>;
}

/** More than any name can have: Node limits the whole head of a request. */
const maxParamLength = 64 * 1024;

/**
 * One tree of patterns (find-my-way: the router of Fastify, measured here at 2–5 % of a bare answer). The tree
 * holds patterns only, so that a known path with another method (405) is distinguished from an unknown path (404).
 */
export function createRouter<Services>(routes: readonly Route<Services>[], services: Services) {
  const tree = FindMyWay({ maxParamLength, caseSensitive: true, onBadUrl: () => {} });
  for (const [pattern, atPath] of byPattern(routes, services))
    tree.on('GET', withForms(pattern), () => {}, atPath);
  return {
    /** Throws the `RequestError` of an unknown path (404), a method that it does not have (405) or a broken path (400). */
    match(method: string, path: string, query = '', headers: RequestHeaders = {}): Match {
      const found = tree.find('GET', path);
      if (found === null) throw notFound();
      const atPath = found.store as AtPath | null;
      if (atPath === null) throw refused('invalid_encoding', 'path: its percent-encoding is broken');
      const endpoints = askedEndpoints(atPath, query);
      const endpoint = endpoints[(method === 'HEAD' ? 'GET' : method) as Method];
      if (endpoint === undefined) throw methodNotAllowed(allowedMethods(endpoints));
      const { ofLines } = endpoint;
      const { pattern, right, handle } = ofLines !== undefined && isNdjson(headers) ? ofLines : endpoint;
      return { pattern, right, handle, params: found.params };
    },

    /** Whether something is at a path, whatever the method. */
    has: (path: string): boolean => tree.find('GET', path) !== null,
  };
}

function byPattern<Services>(
  routes: readonly Route<Services>[],
  services: Services,
): ReadonlyMap<string, AtPath> {
  const found = new Map<string, AtPath>();
  for (const route of routes) {
    const { method, path, request, handle } = route;
    const [, bare = '', parameter] = /^([^?]*)(?:\?(\w+)=true)?$/.exec(path) ?? [];
    const pattern = patternOf(bare);
    const right = rightOf(route);
    // The key of a request is compared with the project of its path.
    const isOfProject = right.rank > 0 && right.access !== 'operator';
    if (isOfProject && !pattern.includes('/:project')) throw new Error(`${path} has no project`);
    const atPath = found.get(pattern) ?? { endpoints: {}, withParameter: new Map() };
    found.set(pattern, atPath);
    const endpoints =
      parameter === undefined ? atPath.endpoints : (atPath.withParameter.get(parameter) ?? {});
    if (parameter !== undefined) atPath.withParameter.set(parameter, endpoints);
    const endpoint: Endpoint = { pattern, right, handle: (call) => handle(call, services) };
    endpoints[method] = takesLines(request)
      ? { ...(endpoints[method] as Endpoint), ofLines: endpoint }
      : endpoint;
  }
  return found;
}

/** What parameters look like where the same path may lead into a base or drive: an id is never one of its words, such as `items`. */
const forms: Readonly<Record<string, string>> = { hook: '(^[0-9a-f]{32}$)' };

/** `/v1/{project}/{base}/items/{key}` in the syntax of find-my-way: `/v1/:project/:name/items/:key`. */
function patternOf(path: string): string {
  return path
    .replace(/\{path\.\.\.\}$/, '*')
    .replace(/\{(base|drive)\}/, ':name')
    .replace(
      /\{(\w+)\}/g,
      (_, name: string) => `:${name.replace(/_(\w)/g, (_, c: string) => c.toUpperCase())}`,
    );
}

function withForms(pattern: string): string {
  return pattern.replace(/:(\w+)/g, (parameter, name: string) => parameter + (forms[name] ?? ''));
}

/** Most requests get the object of their path: none is made for each of them. */
function askedEndpoints({ endpoints, withParameter }: AtPath, query: string): Endpoints {
  if (query === '' || withParameter.size === 0) return endpoints;
  const parameters = parseQueryString(query);
  let asked = endpoints;
  for (const [name, more] of withParameter)
    if (!['', 'false'].includes(parameters.get(name) ?? '')) asked = { ...asked, ...more };
  return asked;
}

const methods: readonly Method[] = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'];

function allowedMethods(endpoints: Endpoints): string {
  const allowed: readonly string[] = methods.filter((method) => endpoints[method] !== undefined);
  return [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
