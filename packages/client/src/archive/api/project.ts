import { BasedriveError } from '../../error.js';
import type {
  FileDetails,
  ImportLine,
  ListBasesResponse,
  ListDrivesResponse,
  ListFilesResponse,
  OwnKeyResponse,
  QueryItemsResponse,
  StatsResponse,
} from '../../http-types.js';
import type { ProjectAddress } from './address.js';
import {
  ask,
  type Call,
  ConnectionLost,
  createPatience,
  jsonOf,
  messagesOf,
  untilAnswered,
  type WholeAnswer,
} from './request.js';

/** What the service knows of a file (docs/http.md#file-details). */
export interface RemoteFile {
  readonly name: string;
  readonly size: number;
  readonly contentType: string;
  readonly etag: string;
  /** Whole seconds since 1970 UTC. */
  readonly expires: number | undefined;
}

/** The names of all bases or drives of the project, in the order of their UTF-8 bytes (docs/http.md#list-bases). */
export async function* namesOf(
  address: ProjectAddress,
  kind: 'bases' | 'drives',
): AsyncGenerator<string, void, undefined> {
  let last: string | undefined;
  do {
    const page = await get<Partial<ListBasesResponse & ListDrivesResponse>>(
      address,
      `/${kind}?${last === undefined ? '' : `last=${encodeURIComponent(last)}`}`,
    );
    yield* page[kind] ?? [];
    last = page.paging?.last;
  } while (last !== undefined);
}

/** What the key of the requests may do, and the time of the server. */
export interface OwnKey extends OwnKeyResponse {
  /** By how many milliseconds the clock of the server is ahead of the one here. A second is not noticed. */
  readonly aheadMs: number;
}

/**
 * What the key may do (docs/http.md#own-key). Throws a `BasedriveError` at once if the server cannot be reached, or does
 * not accept the key.
 */
export async function ownKey(address: ProjectAddress): Promise<OwnKey> {
  const call: Call = { method: 'GET', path: '/keys?self=true' };
  const answer = await ask(address, call, [], createPatience(address, 0));
  const ofServer = Date.parse(answer.date ?? '');
  return {
    ...jsonOf<OwnKeyResponse>(address, answer),
    aheadMs: Number.isNaN(ofServer) ? 0 : ofServer - Date.now(),
  };
}

/** Why a base or drive of this name is not in the list of names: the key does not reach it, or it holds nothing. */
export async function absence(
  address: ProjectAddress,
  kind: 'bases' | 'drives',
  name: string,
): Promise<string> {
  const call: Call =
    kind === 'bases'
      ? { method: 'POST', path: `/${segment(name)}/query`, ...jsonBody({ limit: 1 }) }
      : { method: 'GET', path: `/${segment(name)}/files?limit=1` };
  const { status, text } = await ask(address, call, [400, 403]);
  return status < 400 ? 'there is nothing of this name' : messagesOf(text).join('; ');
}

/** The key of the first item after `last` in an order; undefined if there is none (docs/http.md#query-items). */
export async function edgeKey(
  address: ProjectAddress,
  base: string,
  { sort, last }: { readonly sort: 'asc' | 'desc'; readonly last?: string | undefined },
): Promise<string | undefined> {
  let from = last;
  for (;;) {
    const query = jsonBody({ limit: 1, select: ['key'], sort, last: from });
    const answer = await ask(address, { method: 'POST', path: `/${segment(base)}/query`, ...query });
    const { items = [], paging } = jsonOf<Partial<QueryItemsResponse>>(address, answer);
    from = paging?.last;
    // A page may end before its first item if it has read many that have expired.
    if (items.length > 0 || from === undefined) return items[0]?.key;
  }
}

/** The size of the base and of the drive of a name (docs/http.md#statistics). */
export async function sizesOf(address: ProjectAddress, name: string): Promise<StatsResponse> {
  return await get<StatsResponse>(address, `/${segment(name)}/stats`);
}

/** All files of a drive in the order of their names (docs/http.md#list-files). */
export async function* filesOf(
  address: ProjectAddress,
  drive: string,
): AsyncGenerator<RemoteFile, void, undefined> {
  let last: string | undefined;
  do {
    const page = await listFiles(
      address,
      drive,
      last === undefined ? '' : `last=${encodeURIComponent(last)}`,
    );
    for (const details of page.files ?? []) yield remoteFile(details);
    last = page.paging?.last;
  } while (last !== undefined);
}

/** The file of this name; undefined if there is none. */
export async function findFile(
  address: ProjectAddress,
  drive: string,
  name: string,
): Promise<RemoteFile | undefined> {
  // The name itself comes before all others that begin with it.
  const page = await listFiles(address, drive, `limit=1&prefix=${encodeURIComponent(name)}`);
  const [first] = page.files ?? [];
  return first?.name === name ? remoteFile(first) : undefined;
}

/** Whether a drive has a file. */
export async function hasFiles(address: ProjectAddress, drive: string): Promise<boolean> {
  return (await listFiles(address, drive, 'limit=1')).names.length > 0;
}

/** What happened to the lines of an import. `refused` has the number of a line, counted from 1, and the reasons. */
export interface StoredLines {
  readonly stored: number;
  readonly refused: readonly (Pick<ImportLine, 'errors' | 'codes'> & { readonly line: number })[];
}

/**
 * Stores items, one on each line (docs/http.md#import-items). With `insertOnly`, an item whose key exists stays as it
 * is, and its line is one of the refused ones.
 */
export async function storeLines(
  address: ProjectAddress,
  base: string,
  lines: Buffer,
  insertOnly: boolean,
): Promise<StoredLines> {
  const call: Call = {
    method: insertOnly ? 'POST' : 'PUT',
    path: `/${segment(base)}/items`,
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: lines,
  };
  const patience = createPatience(address);
  return await untilAnswered(patience, async () =>
    storedLines(address, await ask(address, call, [], patience)),
  );
}

/** Reads the answer of an import. Without its last line not everything was stored: that throws `ConnectionLost`. */
function storedLines(address: ProjectAddress, { status, text }: WholeAnswer): StoredLines {
  const answers = text.split('\n');
  // What stands after the last line end is empty, or was cut off.
  const rest = answers.pop() as string;
  const refused: StoredLines['refused'][number][] = [];
  for (const answer of answers) {
    const said = jsonOf<ImportLine | null>(address, { status, text: answer }) ?? {};
    const { line, errors, codes, stored, unreported = 0 } = said;
    if (unreported > 0) {
      throw new BasedriveError('unexpected', `${address.shown} did not report ${unreported} refused lines`);
    }
    if (line !== undefined) refused.push({ line, errors, codes });
    else if (stored !== undefined) return { stored, refused };
  }
  const where = rest === '' ? 'before its last line' : 'in the middle of a line';
  throw new ConnectionLost(`${address.shown} ended the answer to an import ${where}`);
}

/** A call of a drive that names a file. */
export function fileCall(method: Call['method'], drive: string, route: string, name: string): Call {
  return { method, path: `/${segment(drive)}${route}name=${encodeURIComponent(name)}` };
}

/** A segment of a path. `.` and `..` are sent as they are: only the server reads the path. */
export function segment(name: string): string {
  return encodeURIComponent(name);
}

function jsonBody(value: unknown): Pick<Call, 'headers' | 'body'> {
  return { headers: { 'Content-Type': 'application/json' }, body: Buffer.from(JSON.stringify(value)) };
}

async function listFiles(address: ProjectAddress, drive: string, query: string): Promise<ListFilesResponse> {
  return await get<ListFilesResponse>(address, `/${segment(drive)}/files?details=true&${query}`);
}

async function get<T>(address: ProjectAddress, path: string): Promise<T> {
  return jsonOf(address, await ask(address, { method: 'GET', path }));
}

function remoteFile({
  name,
  size = 0,
  content_type: contentType = '',
  etag = '',
  expires,
}: FileDetails): RemoteFile {
  return { name, size, contentType, etag, expires };
}
