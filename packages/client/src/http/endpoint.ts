import { invalid } from './error.js';

/** How often, and after which pauses, a request is repeated that got no answer, 429 or 503. */
export interface RetryOptions {
  /** Repeats of a request after the first attempt; default 3. 0 for none. */
  readonly times?: number | undefined;
  /** The upper limit of the first pause, in milliseconds. It doubles with every repeat. Default 250. */
  readonly firstDelayMs?: number | undefined;
  /** The longest pause, in milliseconds. If `Retry-After` is longer, the request is not repeated. Default 30,000. */
  readonly maxDelayMs?: number | undefined;
  /**
   * Repeats a request for this many milliseconds from its first failure on, however often, in place of `times`. The waits
   * that a 429 asks for do not count. If `Retry-After` is longer, the request is not repeated. Mind `timeoutMs`.
   */
  readonly patienceMs?: number | undefined;
}

export interface BasedriveOptions {
  /**
   * The address of the service, `https://data.example`; without a scheme, HTTPS is used. Default: `BASEDRIVE_URL`, else
   * http://127.0.0.1:8080
   */
  readonly url?: string | undefined;
  /**
   * Milliseconds that a call may take, with its repeats; default 30,000. Uploads have no limit unless their call sets
   * one.
   */
  readonly timeoutMs?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  /**
   * True: integers beyond ±(2^53 - 1) come back as BigInts, exactly. Default: they come back as numbers, rounded as
   * `JSON.parse` rounds them. BigInts that you store are sent as integers in either case.
   */
  readonly bigint?: boolean | undefined;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** Options of every call. */
export interface CallOptions {
  /**
   * Ends the call, which rejects with code `aborted`; with code `timeout` if the signal is of
   * `AbortSignal.timeout()`.
   */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that the call may take, with its repeats. Then it rejects with code `timeout`. */
  readonly timeoutMs?: number | undefined;
}

/** Options of calls that write items. */
export interface TxOptions {
  /**
   * Called with the `tx` under which the feed has what was written, before the call resolves (docs/http.md#the-transaction-of-a-write).
   * Not called if nothing has changed.
   */
  readonly onTx?: ((tx: string) => void) | undefined;
}

/** The address of a base, a drive or a project, and how to send requests to it. */
export interface Endpoint {
  /** `https://host/v1/{project}/{name}`; of a project, without the name. */
  readonly root: string;
  readonly key: string;
  readonly options: BasedriveOptions;
  /** Requests that may have been done are repeated, too: the caller takes the refusal of a repeat for a success. */
  readonly repeatsAll?: boolean;
}

/** An environment variable; undefined on platforms without an environment. */
function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name]?.trim() || undefined;
}

/** Throws code `invalid` for what is neither a text nor absent. */
function trimmed(what: string, given: string | null | undefined): string | undefined {
  if (given != null && typeof given !== 'string') throw invalid(`${what} must be a string`);
  return given?.trim();
}

/** The given key, else `BASEDRIVE_KEY`, else `DETA_PROJECT_KEY`. Throws code `invalid` if it is missing or malformed. */
export function resolveKey(given: string | undefined): string {
  const key = trimmed('Project key', given) || variable('BASEDRIVE_KEY') || variable('DETA_PROJECT_KEY');
  if (!key) throw invalid('Project key is not defined');
  // Such a key would fail in every call, with a message that does not name the cause.
  if (!/^[!-^`-~]+_[!-~]+$/.test(key))
    throw invalid('Project key is malformed: a key is {project}_{secret}, in visible ASCII characters');
  return key;
}

export type Kind = 'Base' | 'Drive';

/** `host` is a parameter of npm `deta` and takes precedence over everything else. */
type EndpointOptions = BasedriveOptions & { host?: string | undefined };

/** The endpoint of a base or drive. Throws code `invalid` for a name that cannot be sent, or a malformed address. */
export function openEndpoint(kind: Kind, name: string, key: string, options: EndpointOptions): Endpoint {
  if (typeof name !== 'string' || name === '') throw invalid(`${kind} name is not defined`);
  const project = openProjectEndpoint(kind, key, options);
  return { ...project, root: `${project.root}/${segment(`${kind} name`, name)}` };
}

/** The endpoint of a project, `https://host/v1/{project}`, at the address of its bases or of its drives. Throws code `invalid`. */
export function openProjectEndpoint(
  kind: Kind,
  key: string,
  { host, ...options }: EndpointOptions,
): Endpoint {
  const project = key.split('_', 1)[0] as string;
  const root = `${serviceUrl(kind, options.url, host)}/v1/${segment('project', project)}`;
  return { root, key, options };
}

/** The address of the service, `https://host`, without a `/` at its end. Throws code `invalid`. */
export function serviceUrl(kind: Kind, given?: string, host?: string): string {
  const url =
    trimmed('host', host) ||
    trimmed('url', given) ||
    variable('BASEDRIVE_URL') ||
    variable(`DETA_${kind.toUpperCase()}_HOST`) ||
    'http://127.0.0.1:8080';
  const address = /^https?:\/\//i.test(url) ? url : `https://${url}`;
  if (!URL.canParse(address)) throw invalid(`The address of the service is malformed: ${url}`);
  return address.replace(/\/+$/, '');
}

/**
 * A segment of a path, percent-encoded. Throws code `invalid`, with `what` in its message, if the text is not valid Unicode, and
 * for `.` and `..`, which every `fetch` removes even when they are percent-encoded.
 */
export function segment(what: string, text: string): string {
  if (text === '.' || text === '..') throw invalid(`${what} "${text}" cannot be sent in a path`);
  return percentEncode(what, text);
}

/** The parameters of a query string, percent-encoded. Those that are absent or empty are left out. Throws as `percentEncode`. */
export function parametersOf(given: Readonly<Record<string, unknown>>): string {
  return Object.entries(given)
    .filter(([, value]) => value != null && value !== '')
    .map(([name, value]) => `${name}=${percentEncode(name, String(value))}`)
    .join('&');
}

/**
 * Percent-encodes a text for a path or a query string. Throws code `invalid`, with `what` in its message, if it is not valid
 * Unicode.
 */
export function percentEncode(what: string, text: string): string {
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw invalid(`${what} is not valid Unicode: ${(cause as Error).message}`);
  }
}
