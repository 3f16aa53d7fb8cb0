import { invalid } from './error.js';

/** How requests are repeated that had no answer, or 429 or 503. */
export interface RetryOptions {
  /** Repeats of one request after its first try; default 3, 0 for none. */
  readonly times?: number | undefined;
  /** The longest first pause, in milliseconds; it doubles with every repeat. Default 250. */
  readonly firstDelayMs?: number | undefined;
  /** The longest pause, in milliseconds. A service that asks for more (`Retry-After`) is not asked again. Default 30,000. */
  readonly maxDelayMs?: number | undefined;
}

export interface BasedriveOptions {
  /** Where the service is, `https://data.example`; without a scheme it is HTTPS. Default: `BASEDRIVE_URL`, else http://127.0.0.1:8080 */
  readonly url?: string | undefined;
  /** Milliseconds that one call may take, its repeats included; default 30,000. Files have no limit unless their call sets one. */
  readonly timeoutMs?: number | undefined;
  readonly retry?: RetryOptions | undefined;
  /**
   * Integers beyond ±(2^53 - 1) come back as BigInts, exactly. Default: they come as numbers, rounded as `JSON.parse`
   * rounds them. BigInts in what is sent go out as integers in either case.
   */
  readonly bigint?: boolean | undefined;
  /** Instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** What every call may be given. */
export interface CallOptions {
  /** Ends the call: it rejects with code `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that the call may take, its repeats included; then it rejects with code `timeout`. */
  readonly timeoutMs?: number | undefined;
}

/** Where a base or drive is, and how to speak with it. */
export interface Endpoint {
  /** `https://host/v1/{project}/{name}` */
  readonly root: string;
  readonly key: string;
  readonly options: BasedriveOptions;
}

/** Environment variables, where there is an environment. */
function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name]?.trim() || undefined;
}

/** The key as it was given, else `BASEDRIVE_KEY`, else `DETA_PROJECT_KEY`. */
export function resolveKey(given: string | undefined): string {
  const key = given?.trim() || variable('BASEDRIVE_KEY') || variable('DETA_PROJECT_KEY');
  if (!key) throw invalid('Project key is not defined');
  // Such a key would fail in every call, with a message that does not name the cause.
  if (!/^[!-^`-~]+_[!-~]+$/.test(key))
    throw invalid('Project key is malformed: a key is {project}_{secret}, in visible ASCII characters');
  return key;
}

export type Kind = 'Base' | 'Drive';

/** The address of a base or drive. `host` is that of the old library: it goes before all else. */
export function openEndpoint(
  kind: Kind,
  name: string,
  key: string,
  { host, ...options }: BasedriveOptions & { host?: string | undefined },
): Endpoint {
  if (typeof name !== 'string' || name === '') throw invalid(`${kind} name is not defined`);
  const url =
    host?.trim() ||
    options.url?.trim() ||
    variable('BASEDRIVE_URL') ||
    variable(`DETA_${kind.toUpperCase()}_HOST`) ||
    'http://127.0.0.1:8080';
  const address = /^https?:\/\//i.test(url) ? url : `https://${url}`;
  if (!URL.canParse(address)) throw invalid(`The address of the service is malformed: ${url}`);
  const project = key.split('_', 1)[0] as string;
  const segments = [segment('project', project), segment(`${kind} name`, name)];
  return { root: `${address.replace(/\/+$/, '')}/v1/${segments.join('/')}`, key, options };
}

/** A segment of a path. `.` and `..` are taken away by every `fetch`, however they are written. */
export function segment(what: string, text: string): string {
  if (text === '.' || text === '..') throw invalid(`${what} "${text}" cannot be sent in a path`);
  return percentEncode(what, text);
}

/** Percent-encodes a text for a path or a query string. */
export function percentEncode(what: string, text: string): string {
  try {
    return encodeURIComponent(text);
  } catch (cause) {
    throw invalid(`${what} is no Unicode text: ${(cause as Error).message}`);
  }
}
