import type { Endpoint } from '../../http/endpoint.js';
import { BasedriveError } from '../../http/error.js';
import { createNodeFetch, type NodeFetch } from './node-fetch.js';

/** A project on a server, and how it is reached. */
export interface ProjectAddress {
  readonly project: string;
  /** Where the server is, for people. */
  readonly shown: string;
  /** Of the project. Its root is a path: all requests go through the `fetch` of its options. */
  readonly endpoint: Endpoint;
  /** Ends every request. */
  readonly signal?: AbortSignal;
  /** Closes the connections that wait for further requests. */
  close(): void;
}

/** For how long a server may be unreachable, or refuse to work, before an export or import gives up. */
const retry = { patienceMs: 60_000, firstDelayMs: 100, maxDelayMs: 5000 };

/** The project of a key on the server at a URL, which may have a path. */
export function addressOfUrl(url: URL, project: string, key: string): ProjectAddress {
  const above = url.pathname.replace(/\/+$/, '');
  return addressOf(createNodeFetch(url), { project, key, above, shown: url.origin });
}

/** A project on a server that answers on a Unix socket for its owner, who needs no secret. */
export function addressOfSocket(socketPath: string, project: string): ProjectAddress {
  const key = `${project}_owner`;
  return addressOf(createNodeFetch({ socketPath }), { project, key, above: '', shown: socketPath });
}

function addressOf(
  { fetch, close }: NodeFetch,
  { project, key, above, shown }: Record<'project' | 'key' | 'above' | 'shown', string>,
): ProjectAddress {
  const root = `${above}/v1/${encodeURIComponent(project)}`;
  const options = { fetch, retry, timeoutMs: Number.POSITIVE_INFINITY };
  // After a repeat, items and files that were to be new may be there already. They count as kept.
  return { project, shown, endpoint: { root, key, options, repeatsAll: true }, close };
}

/** The endpoint of a base or drive. Names such as `..` are sent as they are: only the server reads the path. */
export function endpointOf({ endpoint }: ProjectAddress, name: string): Endpoint {
  return { ...endpoint, root: `${endpoint.root}/${encodeURIComponent(name)}` };
}

/** An error of a request, with the server that it was sent to. Any other one stays as it is. */
export function withServer({ shown }: ProjectAddress, cause: unknown): unknown {
  if (!(cause instanceof BasedriveError)) return cause;
  const { code, status, message } = cause;
  const told = (text: string) => new BasedriveError(code, text, cause);
  if (code === 'network') return told(`${shown} cannot be reached: ${message.replace(/^No answer: /, '')}`);
  if (status === 401) return told(`${shown} does not accept the key: ${message} (status 401)`);
  if (status === 429 || status >= 500) return told(`${shown} answers ${status}: ${message}`);
  return status === 0 && code !== 'unexpected' ? cause : told(`${shown}: ${message} (status ${status})`);
}
