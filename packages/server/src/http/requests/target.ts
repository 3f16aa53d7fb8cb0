/** What the target of a request begins with when its client takes the service for a proxy, or a proxy sends it on as it came. */
const authority = /^https?:\/\/[^/?]+/i;

/**
 * The target of a request as path and query string, without the service that it names (RFC 9112, 3.2.2). One that is none
 * of both, such as `*`, is given as it is.
 */
export function pathOfTarget(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(authority, '');
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest;
}

/** What is wrong with the target of a request (docs/http.md#errors), or undefined. `path`: as `pathOfTarget` gives it. */
export function targetProblem(method: string | undefined, path: string): string | undefined {
  if (path.includes('#')) return 'path: a fragment (#) is not sent to a server';
  // The router compares what follows the first character.
  if (path.startsWith('/') || (method === 'OPTIONS' && path === '*')) return undefined;
  return 'path: must begin with /, which may follow http:// and a host';
}
