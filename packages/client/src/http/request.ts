import { type Deadline, extendDeadline, openDeadline, pause } from './deadline.js';
import { type CallOptions, type Endpoint, parametersOf, type TxOptions } from './endpoint.js';
import { BasedriveError, networkError, refusal } from './error.js';
import { readJson } from './json.js';
import { createRepeats, isLost, mayRepeat, readRetryAfter } from './retry.js';
import { type Request, type Send, sendForStream, sendForText } from './send.js';
import type { Ending, TextAnswer } from './text-exchange.js';

/** A request, which may be sent several times. */
export interface Call extends Request {
  /** Whether the request may be sent again after its answer was lost. A function is only called then. */
  readonly repeatable: boolean | (() => boolean);
  /**
   * For how many milliseconds the answer is awaited after the call was aborted or has timed out. It is then given all the
   * same. This is for a request whose effect the caller has to undo, for which it needs the answer.
   */
  readonly graceMs?: number;
}

/** An answer whose body has not been read. Its reader must close `deadline`. */
export interface OpenAnswer {
  readonly response: Response;
  readonly deadline: Deadline;
}

/** A JSON answer: a success, or a 404, whose meaning depends on the call. */
export interface JsonAnswer {
  readonly status: number;
  readonly value: unknown;
  /** Present when the status is 404. */
  readonly error?: BasedriveError;
  /** The answer to an earlier attempt was lost, so the service may have done the request before. */
  readonly lost: boolean;
}

/** Sends a request, repeats it where that is safe, and returns the JSON answer. Rejects with a `BasedriveError`. */
export async function requestJson(
  endpoint: Endpoint,
  call: Call,
  options: CallOptions = {},
): Promise<JsonAnswer> {
  const deadline = openDeadline(options);
  const extended = call.graceMs === undefined ? undefined : extendDeadline(deadline, call.graceMs);
  try {
    return await untilAnswered(endpoint, call, {
      deadline,
      ending: extended,
      send: sendForText,
      read: (answer, lost) => readAnswer(endpoint, answer, lost),
    });
  } finally {
    extended?.close();
    deadline.close();
  }
}

/** A call whose request may be repeated, unless it says otherwise. */
export type UsualCall = Omit<Call, 'repeatable'> & Partial<Pick<Call, 'repeatable'>>;

const defaultTimeoutMs = 30_000;

/** The options of a call, with the time limit of the endpoint if it has none of its own. */
export function timed({ options }: Endpoint, { signal, timeoutMs }: CallOptions): CallOptions {
  return { signal, timeoutMs: timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs };
}

/** Sends a request as `requestJson` does, within the time limit of the endpoint. */
export function requestAnswer(
  endpoint: Endpoint,
  call: UsualCall,
  options: CallOptions & TxOptions,
): Promise<JsonAnswer> {
  const { onTx } = options;
  return requestJson(endpoint, { repeatable: true, onTx, ...call }, timed(endpoint, options));
}

/** Sends a request as `requestAnswer` does, and returns the JSON of a success. Rejects with a `BasedriveError`. */
export async function requestValue<T>(
  endpoint: Endpoint,
  call: UsualCall,
  options: CallOptions & TxOptions,
): Promise<T> {
  const { value, error } = await requestAnswer(endpoint, call, options);
  if (error) throw error;
  return value as T;
}

/** Deletes what is at a path. Gives false if there was nothing. Rejects with a `BasedriveError`. */
export async function requestDeletion(
  endpoint: Endpoint,
  path: string,
  options: CallOptions,
): Promise<boolean> {
  const { error, lost } = await requestAnswer(endpoint, { method: 'DELETE', path }, options);
  // A 404 without messages of the service means that the address is wrong.
  if (error?.errors.length === 0) throw error;
  // If an answer was lost, it was deleted by the first attempt.
  return error === undefined || lost;
}

/** Requests page after page. `ask` gets what to continue after. */
export async function* pages<Page extends { readonly paging?: { readonly last?: string } }>(
  last: string | undefined,
  ask: (last: string | undefined) => Promise<Page>,
): AsyncGenerator<Page, void, undefined> {
  let from = last;
  do {
    const page = await ask(from);
    yield page;
    from = page.paging?.last;
  } while (from !== undefined);
}

/**
 * The elements of a list of the service, page after page. `path` is where it is, without parameters, and `member` names it in
 * an answer.
 */
export async function* eachListed<T>(
  endpoint: Endpoint,
  path: string,
  member: string,
  { prefix, last, ...options }: ListingOptions,
): AsyncGenerator<T, void, undefined> {
  const ask = (after: string | undefined) => {
    const call = { method: 'GET', path: `${path}?${parametersOf({ prefix, last: after })}` } as const;
    return requestValue<Listing>(endpoint, call, options);
  };
  for await (const page of pages(last, ask)) yield* (page[member] ?? []) as T[];
}

/** Options of such a list. `timeoutMs` applies to each page. */
interface ListingOptions extends CallOptions {
  readonly prefix?: string | undefined;
  readonly last?: string | undefined;
}

interface Listing {
  readonly paging?: { readonly last?: string };
  readonly [member: string]: unknown;
}

/**
 * Sends a request, repeats it where that is safe, and returns the lines of its NDJSON answer. `isWhole` says whether
 * the answer ends with this line. Rejects with a `BasedriveError`.
 */
export async function requestLines<Line>(
  endpoint: Endpoint,
  call: Call,
  options: CallOptions,
  isWhole: (last: Line | undefined) => boolean,
): Promise<Line[]> {
  const deadline = openDeadline(options);
  const read = async (answer: TextAnswer, lost: boolean) => {
    if (!answer.ok) throw (await readAnswer(endpoint, answer, lost)).error;
    const text = await readText(answer);
    // A line that was cut off may be no JSON.
    if (!text.endsWith('\n')) throw incomplete();
    const lines = text.trimEnd().split('\n');
    const values = lines.map((line) => readLine(line) as Line);
    if (!isWhole(values.at(-1))) throw incomplete();
    return values;
  };
  try {
    return await untilAnswered(endpoint, call, { deadline, send: sendForText, read });
  } finally {
    deadline.close();
  }
}

/** Reads a line of NDJSON. Throws a `BasedriveError`. */
export function readLine(line: string, bigint?: boolean): unknown {
  try {
    return readJson(line, bigint);
  } catch (cause) {
    throw new BasedriveError('unexpected', 'The answer is not NDJSON', { cause });
  }
}

/** The error for an answer without its end. */
export function incomplete(): BasedriveError {
  return new BasedriveError('network', 'The answer is incomplete');
}

/**
 * Sends a request, repeats it where that is safe, and returns its answer before the body is read. Rejects with a
 * `BasedriveError`.
 * @returns undefined if the file does not exist
 */
export async function requestBody(
  endpoint: Endpoint,
  call: Call,
  options: CallOptions,
): Promise<OpenAnswer | undefined> {
  const deadline = openDeadline(options);
  const read = async (answer: Response, lost: boolean) => {
    if (answer.ok) return answer;
    const { error } = await readAnswer(endpoint, answer, lost);
    // A 404 with messages of the service means that the file is missing. Any other 404 means that the address is wrong.
    if (error?.errors.length === 0) throw error;
    return undefined;
  };
  try {
    const response = await untilAnswered(endpoint, call, { deadline, send: sendForStream, read });
    deadline.stopClock();
    if (response !== undefined) return { response, deadline };
    deadline.close();
    return undefined;
  } catch (error) {
    deadline.close();
    throw error;
  }
}

interface Attempts<Answer, T> {
  /** Ends the call: nothing is sent after it. */
  readonly deadline: Deadline;
  /** Ends the request in flight; by default `deadline` does. */
  readonly ending?: Ending | undefined;
  readonly send: Send<Answer>;
  /** Reads an answer. `lost`: the answer to an earlier attempt was lost. */
  readonly read: (answer: Answer, lost: boolean) => Promise<T>;
}

async function untilAnswered<Answer extends TextAnswer, T>(
  endpoint: Endpoint,
  call: Call,
  { deadline, ending = deadline, send, read }: Attempts<Answer, T>,
): Promise<T> {
  let lost = false;
  const repeats = createRepeats(endpoint.options.retry);
  for (;;) {
    let retryAfterMs = 0;
    let error: BasedriveError;
    try {
      const ended = deadline.error();
      if (ended !== undefined) throw ended;
      const answer = await send(endpoint, { ...call, ending });
      retryAfterMs = readRetryAfter(answer.headers.get('retry-after'));
      tellTx(call, answer);
      return await read(answer, lost);
    } catch (cause) {
      if (!(cause instanceof BasedriveError)) throw cause;
      error = deadline.error() ?? cause;
    }
    const delay = mayRepeat(error, endpoint.repeatsAll || call.repeatable)
      ? repeats(retryAfterMs, error.status)
      : undefined;
    if (delay === undefined) throw error;
    // With `repeatsAll`, the request may have been done after a 503, too.
    lost ||= isLost(error) || (endpoint.repeatsAll === true && error.status === 503);
    await pause(delay, deadline);
  }
}

function tellTx({ onTx }: Call, { headers }: TextAnswer): void {
  const [, tx] = /^tx=(\d+)$/.exec(headers.get('preference-applied') ?? '') ?? [];
  if (tx !== undefined) onTx?.(tx);
}

async function readText(answer: TextAnswer): Promise<string> {
  try {
    return await answer.text();
  } catch (cause) {
    throw networkError(cause);
  }
}

async function readAnswer(endpoint: Endpoint, answer: TextAnswer, lost: boolean): Promise<JsonAnswer> {
  const text = await readText(answer);
  const { status } = answer;
  let value: unknown;
  try {
    value = readJson(text, endpoint.options.bigint);
  } catch {
    if (answer.ok) throw new BasedriveError('unexpected', 'The answer is not JSON', { status });
  }
  if (answer.ok) return { status, value, lost };
  const error = refusal(answer, text, value);
  // A 404 that is not JSON comes from another server.
  if (status === 404 && value !== undefined) return { status, value, error, lost };
  throw error;
}
