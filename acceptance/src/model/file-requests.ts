import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { bytesOf, type Random } from '../random.js';
import type { Client, RequestHeaders } from './client.js';
import { type EntriesRequest, type EntriesSource, jsonOf } from './entries-model.js';
import type { Entries, EntryChange, EntryStep } from './known-entries.js';
import { expectStatus, WrongAnswer } from './model.js';

/** What List Files tells of a file (docs/http.md#file-details). */
interface Details {
  readonly name: string;
  readonly size: number;
  readonly content_type: string;
  readonly etag: string;
  readonly expires?: number;
}

/** What a client can see of a file, except its ETag and its time. */
interface Seen {
  readonly digest: string;
  readonly type: string;
  readonly expires: number | null;
}

interface Transfer {
  readonly from: string;
  readonly to: string;
}

const names = Array.from({ length: 5 }, (_, n) => `f${n}`);
const types = ['text/plain', 'image/png', 'application/x-test'];
const pastSeconds = 1;
/** Far ahead, so that no file expires by itself. */
const futureSeconds = [4_000_000_000, 4_100_000_000];
const defaultSizes = [0, 500, 17_000, 100_000];
/** Reading the list and the files again, when a request in doubt has changed them in the meantime. */
const maxReads = 5;

/** The files of a drive under the requests that need no upload: conditional puts, changes, moves, copies, deletes. */
export function fileEntries(drive: string, sizes: readonly number[] = defaultSizes): EntriesSource {
  return {
    kind: 'files',
    store: drive,
    async next(client, current, random) {
      const kind = random.int(16);
      if (kind < 4) return put(drive, current, random, sizes);
      if (kind < 6) return replace(drive, current, random, { sizes, client });
      if (kind < 8) return change(drive, current, random);
      if (kind < 11) return transfer(drive, current, random, 'move');
      if (kind < 14) return transfer(drive, current, random, 'copy');
      return kind < 15 || random.int(3) > 0 ? remove(drive, current, random) : removeAll(drive, current);
    },
    async read(client) {
      for (let reads = 0; reads < maxReads; reads++) {
        const before = await listOf(client, drive);
        const seen = await Promise.all(before.map((details) => readFile(client, drive, details)));
        if (!isDeepStrictEqual(await listOf(client, drive), before)) continue;
        return new Map(before.map(({ name }, index) => [name, JSON.stringify(seen[index])]));
      }
      throw new WrongAnswer(`${drive} changes although nobody changes it`);
    },
  };
}

async function listOf(client: Client, drive: string): Promise<readonly Details[]> {
  const reply = await client.send('GET', `${drive}/files?details=true`);
  expectStatus(`list ${drive}`, reply.status, 200);
  return jsonOf<{ files: Details[] }>(reply).files;
}

/** Undefined if it is gone since it was listed. */
async function readFile(client: Client, drive: string, details: Details): Promise<Seen | undefined> {
  const { status, headers, body } = await client.send('GET', `${drive}/files/download?name=${details.name}`);
  expectStatus(`get ${details.name}`, status, 200, 404);
  const { size, content_type: type, etag, expires = null } = details;
  if (status === 404 || headers.etag !== etag) return undefined;
  if (body.length !== size || headers['content-type'] !== type)
    throw new WrongAnswer(`${details.name}: the download differs from ${JSON.stringify(details)}`);
  return { digest: digestOf(body), type, expires };
}

function digestOf(bytes: Buffer): string {
  return `${bytes.length}:${createHash('sha1').update(bytes).digest('hex')}`;
}

function seenOf(current: Entries, name: string): Seen | undefined {
  const text = current.get(name);
  return text === undefined ? undefined : (JSON.parse(text) as Seen);
}

/** An expired file is gone. */
function changeOf(name: string, seen: Seen): EntryChange {
  const isGone = seen.expires !== null && seen.expires <= pastSeconds;
  return { name, next: isGone ? undefined : JSON.stringify(seen) };
}

function expecting(what: string, status: number): EntriesRequest['check'] {
  return (reply) => expectStatus(what, reply.status, status);
}

/** A put of random bytes; `headers` is its condition. */
function putOf(drive: string, name: string, random: Random, sizes: readonly number[]) {
  const bytes = bytesOf(random.int(1e9), random.pick(sizes));
  const type = random.pick(types);
  const expires = random.int(3) === 0 ? random.pick([pastSeconds, ...futureSeconds]) : null;
  const path = `${drive}/files?name=${name}${expiryParameter(expires, random)}`;
  const steps: EntryStep[] = [[changeOf(name, { digest: digestOf(bytes), type, expires })]];
  return { method: 'POST', path, body: bytes, headers: { 'Content-Type': type }, steps };
}

/** A file that has expired may also be stored for no second (docs/http.md#expires_in). */
function expiryParameter(expires: number | null, random: Random): string {
  if (expires === null) return '';
  return expires === pastSeconds && random.int(2) === 0 ? '&expires_in=0' : `&expires=${expires}`;
}

/** Half of the puts demand that there is no file. */
function put(drive: string, current: Entries, random: Random, sizes: readonly number[]): EntriesRequest {
  const name = random.pick(names);
  const request = putOf(drive, name, random, sizes);
  const check = (status: number) => expecting(`put ${name}`, status);
  if (random.int(2) === 0) return { ...request, check: check(201) };
  return conditional(request, { 'If-None-Match': '*' }, !current.has(name), check);
}

/** A put that demands the file that is there, or one of another time. */
async function replace(
  drive: string,
  current: Entries,
  random: Random,
  { sizes, client }: { readonly sizes: readonly number[]; readonly client: Client },
): Promise<EntriesRequest> {
  const name = random.pick(names);
  const isCurrent = random.int(4) > 0;
  const found = (await listOf(client, drive)).find((details) => details.name === name);
  const etag = isCurrent ? (found?.etag ?? '"none"') : '"of another time"';
  const request = putOf(drive, name, random, sizes);
  const check = (status: number) => expecting(`replace ${name}`, status);
  return conditional(request, { 'If-Match': etag }, isCurrent && current.has(name), check);
}

function conditional(
  request: Omit<EntriesRequest, 'check'>,
  condition: RequestHeaders,
  isMet: boolean,
  check: (status: number) => EntriesRequest['check'],
): EntriesRequest {
  const headers = { ...request.headers, ...condition };
  return isMet
    ? { ...request, headers, check: check(201) }
    : { ...request, headers, steps: [], check: check(412) };
}

/** A change of the content type, of the expiry, or of both; to an expiry that has passed, too. */
function change(drive: string, current: Entries, random: Random): EntriesRequest {
  const name = random.pick(names);
  const before = seenOf(current, name);
  const contentType = random.int(2) === 0 ? random.pick(types) : undefined;
  const expires =
    contentType === undefined || random.int(2) === 0
      ? random.pick([pastSeconds, null, ...futureSeconds])
      : undefined;
  const path = `${drive}/files?name=${name}`;
  const request = { method: 'PATCH', path, body: { expires, content_type: contentType } };
  if (before === undefined) return { ...request, steps: [], check: expecting(`change ${name}`, 404) };
  const after = {
    digest: before.digest,
    type: contentType ?? before.type,
    expires: expires === undefined ? before.expires : expires,
  };
  return { ...request, steps: [[changeOf(name, after)]], check: expecting(`change ${name}`, 200) };
}

/** One file or two, which may swap their names. All of it is one step. */
function transfer(drive: string, current: Entries, random: Random, kind: 'move' | 'copy'): EntriesRequest {
  const [first = '', ...others] = shuffled(names, random);
  // Most transfers are of a file that exists.
  const existing = random.int(4) > 0 ? [...current.keys()].filter((name) => name !== first) : [];
  const a = existing.length > 0 ? random.pick(existing) : first;
  const [b = '', c = '', d = ''] = [first, ...others].filter((name) => name !== a);
  const files = random.pick([
    [{ from: a, to: b }],
    [
      { from: a, to: b },
      { from: b, to: a },
    ],
    [
      { from: a, to: b },
      { from: c, to: d },
    ],
  ]);
  const overwrite = random.int(3) > 0;
  const request = { method: 'POST', path: `${drive}/files/${kind}`, body: { files, overwrite } };
  const status = statusOf(files, current, kind, overwrite);
  const what = `${kind} ${JSON.stringify(request.body)}`;
  if (status !== 200) return { ...request, steps: [], check: expecting(what, status) };
  const left = kind === 'move' ? files.map(({ from }) => ({ name: from, next: undefined })) : [];
  const made = files.map(({ from, to }) => ({ name: to, next: current.get(from) }));
  return { ...request, steps: [[...left, ...made]], check: expecting(what, 200) };
}

function statusOf(
  files: readonly Transfer[],
  current: Entries,
  kind: 'move' | 'copy',
  overwrite: boolean,
): number {
  const leaves = new Set(kind === 'move' ? files.map(({ from }) => from) : []);
  for (const { from, to } of files) {
    if (!current.has(from)) return 404;
    if (!overwrite && current.has(to) && !leaves.has(to)) return 409;
  }
  return 200;
}

function remove(drive: string, current: Entries, random: Random): EntriesRequest {
  const chosen = shuffled(names, random).slice(0, 1 + random.int(2));
  const steps = [chosen.map((name) => ({ name, next: undefined }))];
  const isThere = chosen.some((name) => current.has(name));
  return {
    method: 'DELETE',
    path: `${drive}/files`,
    body: { names: chosen },
    steps: isThere ? steps : [],
    check: expecting(`delete ${chosen}`, 200),
  };
}

/** In the order of their names, in batches. */
function removeAll(drive: string, current: Entries): EntriesRequest {
  const all = [...current.keys()].sort();
  return {
    method: 'DELETE',
    path: `${drive}/files?all=true`,
    steps: all.map((name) => [{ name, next: undefined }]),
    check(reply) {
      expectStatus(`delete all of ${drive}`, reply.status, 200);
      const { deleted } = jsonOf<{ deleted: number }>(reply);
      if (deleted !== all.length) throw new WrongAnswer(`delete all: ${deleted} of ${all.length}`, 'lost');
    },
  };
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const left = [...list];
  return Array.from(list, () => left.splice(random.int(left.length), 1)[0] as T);
}
