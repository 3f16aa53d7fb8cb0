import { openDeadline, pauseAfter } from '../http/deadline.js';
import { type CallOptions, type Endpoint, parametersOf } from '../http/endpoint.js';
import { BasedriveError, networkError } from '../http/error.js';
import { writeJson } from '../http/json.js';
import { readLine, requestBody, requestValue } from '../http/request.js';
import { isPassing } from '../http/retry.js';
import type { FileDetails } from '../http-types.js';
import type { Item } from '../items/item.js';
import type { Query } from '../items/query.js';

/** What to follow of one base or drive (docs/http.md#list-changes). */
export interface ChangesOptions extends Pick<CallOptions, 'signal'> {
  /** The `cursor` of an earlier change. `0`: first everything that is there. Absent: from now on. */
  readonly since?: string | undefined;
  /** Only keys and names of files that begin with this. */
  readonly prefix?: string | undefined;
}

export interface ItemChangesOptions<T = unknown> extends ChangesOptions {
  /** An item that has changed and does not match comes as a deletion. */
  readonly query?: Query<T> | undefined;
  /** False: without the items. */
  readonly values?: boolean | undefined;
}

/** What to follow of a project. If only bases or only drives are named, no others are followed. */
export interface ProjectChangesOptions extends ItemChangesOptions {
  /** Names of bases; one with `*` at its end means all that begin so. Absent: all. */
  readonly bases?: readonly string[] | undefined;
  /** The same for drives. */
  readonly drives?: readonly string[] | undefined;
}

/** What all changes have in common. */
interface Placed {
  /** Where to go on after this change, as `since`. Not every change has one, since some come together. */
  readonly cursor?: string;
  /** The same for all changes of a transaction, which follow each other. Absent in a snapshot. */
  readonly tx?: string;
}

/** `item`: as it is now, or as it was after this change. */
export type ItemChange<T = unknown> = Placed & { readonly base: string; readonly key: string } & (
    | { readonly type: 'put'; readonly item: Item<T> }
    | { readonly type: 'delete' }
  );

export type FileChange = Placed & { readonly drive: string; readonly name: string } & (
    | { readonly type: 'put'; readonly file: FileDetails }
    | { readonly type: 'delete' }
  );

/** All that was there has come: after `since: '0'`, the copy is whole. It comes once for each connection. */
export interface Live {
  readonly type: 'live';
  readonly cursor: string;
}

/** A page of changes: for a program that looks now and then (docs/http.md#list-changes). */
export interface ChangesPage {
  readonly changes: readonly (ItemChange | FileChange)[];
  /** Where to go on, as `since`. */
  readonly cursor: string;
  /** True: nothing more is there for now. */
  readonly live: boolean;
}

export interface ChangesPageOptions extends ProjectChangesOptions {
  /** The most changes: 1–1000, default 1000. */
  readonly limit?: number | undefined;
  /** The seconds to wait for the first change: 0–60, default 0. */
  readonly wait?: number | undefined;
}

/** A change as the service sent it. */
export interface ChangeLine {
  /** The JSON of the change, with every digit of every number. Absent when all that was there has come. */
  readonly text?: string;
  /** Where to go on, as `since`. */
  readonly cursor?: string;
}

/** A line of a stream. One without a change says how far the stream has come. */
interface StreamedLine extends ChangeLine {
  readonly isLive?: boolean;
}

/** The service sends something every 15 seconds: a connection without anything for this long is dead. */
const silentMs = 45_000;
/** What a line begins with that is no change. */
const cursorStart = '{"cursor":';

/** A page of what has changed in a project since a cursor (docs/http.md#list-changes). */
export async function readChangesPage(
  endpoint: Endpoint,
  { signal, limit, wait, ...options }: ChangesPageOptions,
): Promise<ChangesPage> {
  const more = parametersOf({ limit: limit?.toString(), wait: wait?.toString() });
  const path = [pathOf(options), more].filter((text) => text !== '').join('&');
  return await requestValue(endpoint, { method: 'GET', path }, { signal });
}

/** The changes of a project, as they come (docs/http.md#changes). */
export async function* followChanges(
  endpoint: Endpoint,
  options: ProjectChangesOptions,
): AsyncGenerator<ItemChange | FileChange | Live, void, undefined> {
  for await (const { text, cursor } of followLines(endpoint, options)) {
    const change =
      text === undefined ? { type: 'live' } : (readLine(text, endpoint.options.bigint) as object);
    yield { ...change, ...(cursor !== undefined && { cursor }) } as ItemChange | FileChange | Live;
  }
}

/**
 * The same as it was sent. When the connection is lost, it connects again and goes on where it was, however long that
 * takes; only the first connection has the usual number of attempts.
 */
export async function* followLines(
  endpoint: Endpoint,
  { signal, ...options }: ProjectChangesOptions,
): AsyncGenerator<ChangeLine, void, undefined> {
  let { since } = options;
  let failures = 0;
  let isConnected = false;
  for (;;) {
    try {
      for await (const line of streamedLines(endpoint, pathOf({ ...options, since }), signal)) {
        isConnected = true;
        failures = 0;
        if (line.cursor !== undefined) since = line.cursor;
        if (line.text !== undefined || line.isLive) yield line;
      }
    } catch (cause) {
      const mayGoOn = cause instanceof BasedriveError && isPassing(cause);
      if (!isConnected || !mayGoOn) throw cause;
    }
    const waiting = openDeadline({ signal });
    await pauseAfter(failures++, waiting).finally(waiting.close);
  }
}

function pathOf({ since, bases, drives, prefix, query, values }: ProjectChangesOptions): string {
  return `/changes?${parametersOf({
    since,
    bases: bases?.join(','),
    drives: drives?.join(','),
    prefix,
    query: query === undefined ? undefined : writeJson(query, 1),
    values: values === false ? 'false' : undefined,
  })}`;
}

/** The lines of one connection; a cursor is given with the change before it. */
async function* streamedLines(
  endpoint: Endpoint,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamedLine, void, undefined> {
  const headers = { Accept: 'application/x-ndjson' };
  const call = { method: 'GET', path, headers, repeatable: true } as const;
  const answer = await requestBody(endpoint, call, { signal });
  if (answer === undefined)
    throw new BasedriveError('not_found', 'The server keeps no changes', { status: 404 });
  const { response, deadline } = answer;
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(
      () => deadline.end(new BasedriveError('network', 'The connection is silent')),
      silentMs,
    );
  };
  try {
    let rest = '';
    let held: string | undefined;
    for (;;) {
      watch();
      const read = await reader?.read().catch((cause: unknown) => {
        throw deadline.error() ?? networkError(cause);
      });
      if (!read || read.done) break;
      const lines = (rest + read.value).split('\n');
      rest = lines.pop() ?? '';
      for (const text of lines) {
        if (!text.startsWith(cursorStart)) {
          if (held !== undefined) yield { text: held };
          held = text;
          continue;
        }
        const { cursor, live = false } = readLine(text) as { readonly cursor: string; readonly live?: true };
        if (held !== undefined) yield { text: held, cursor };
        held = undefined;
        yield { cursor, isLive: live };
      }
    }
    if (held !== undefined) yield { text: held };
  } finally {
    clearTimeout(timer);
    await reader?.cancel().catch(() => {});
    deadline.close();
  }
}

/** The endpoint of the project of a base or drive, and the name of that. */
export function projectOf({ root, ...endpoint }: Endpoint): {
  readonly project: Endpoint;
  readonly name: string;
} {
  const at = root.lastIndexOf('/');
  return { project: { ...endpoint, root: root.slice(0, at) }, name: decodeURIComponent(root.slice(at + 1)) };
}
