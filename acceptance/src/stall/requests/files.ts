import { denseObjects, filled, listed, manyMembers, maxDeleteBodyBytes } from './bodies.js';
import { type Count, type HostileRequest, must, type Place } from './hostile-request.js';

const maxTransferBytes = 16 * 1024 * 1024;
const maxChangeBytes = 64 * 1024;
const fileName = (n: number) => `${n}`;

/** Files, made as copies of a first one, `bytes` each. */
const filesOf =
  (most: number, bytes: number) =>
  async ({ api, base }: Place): Promise<void> => {
    const first = api.send('POST', `${base.root}/files?name=first`, { body: Buffer.alloc(bytes, 'a') });
    await must(201, first);
    for (let made = 0; made < most; made += 1000) {
      const some = Math.min(1000, most - made);
      const files = Array.from({ length: some }, (_, n) => ({ from: 'first', to: fileName(made + n) }));
      await must(200, base.sendText('POST', '/files/copy', JSON.stringify({ files })));
    }
  };

/** A name as long as it may be. */
const longName = (n: number, before = '') => `${before}${n}-`.padEnd(1024, 'n');

/** Files with long names and 2 KB of metadata each. */
const richFilesOf =
  (most: number) =>
  async ({ api, base }: Place): Promise<void> => {
    const headers: Record<string, string> = {};
    for (let n = 0; n < 32; n++) headers[`X-Meta-n${n}`] = 'v'.repeat(60);
    await must(201, api.send('POST', `${base.root}/files?name=first`, { body: 'a', headers }));
    const files = Array.from({ length: most }, (_, n) => ({ from: 'first', to: longName(n) }));
    await must(200, base.sendText('POST', '/files/copy', JSON.stringify({ files })));
  };

/** The same, deleted into the trash. */
const trashedFilesOf =
  (most: number) =>
  async (place: Place): Promise<void> => {
    await richFilesOf(most)(place);
    const { base } = place;
    await must(200, base.sendText('PUT', '/settings', '{"trash":"1d"}'));
    const names = Array.from({ length: most }, (_, n) => longName(n));
    await must(200, base.sendText('DELETE', '/files', JSON.stringify({ names })));
  };

/** Requests on files. */
export function files(count: Count): HostileRequest[] {
  return [
    ...deletedNames(count(maxDeleteBodyBytes - 1024)),
    ...transfers(count),
    ...richRows(count(1000)),
    ...changes(count),
    ...reading(count),
  ];
}

/** Bodies of Delete Files. */
function deletedNames(bodyBytes: number): HostileRequest[] {
  const remove = (name: string, body: () => string): HostileRequest => ({
    name: `Delete Files: ${name}`,
    method: 'DELETE',
    path: '/files',
    body,
  });
  const names = (make: (n: number) => string) => () => `{"names":["a",${listed(999, make)}]}`;
  const beside = (value: () => string) => () => `{"names":["a"],"x":${value()}}`;
  const perName = Math.floor(bodyBytes / 1000) - 64;
  return [
    remove(
      '1000 names',
      names((n) => `"${n}"`),
    ),
    remove(
      '999 bad names',
      names((n) => `"${n}${'a'.repeat(perName)}"`),
    ),
    remove(
      '999 bad names of escapes',
      names((n) => `"${n}${'\\n'.repeat(perName / 2)}"`),
    ),
    remove(
      '8 bad names',
      () => `{"names":["a",${listed(8, (n) => `"${n}${'a'.repeat(bodyBytes / 8 - 64)}"`)}]}`,
    ),
    remove('one bad name', () => `{"names":["a","${'a'.repeat(bodyBytes - 64)}"]}`),
    remove('one bad name of escapes', () => `{"names":["a","${'\\n'.repeat(bodyBytes / 2 - 64)}"]}`),
    remove('one blank name', () => `{"names":["a","${' '.repeat(bodyBytes - 64)}"]}`),
    remove('millions of names', () => `{"names":[${filled(bodyBytes - 64, '"a"')}]}`),
    remove('millions of objects', () => `{"names":[${filled(bodyBytes - 64, '{"a":1}')}]}`),
    remove(
      'millions of values',
      beside(() => denseObjects(bodyBytes - 64)),
    ),
    remove(
      'millions of members',
      beside(() => manyMembers(bodyBytes - 64)),
    ),
    remove(
      'lists that never end',
      beside(() => '['.repeat(bodyBytes - 64)),
    ),
    remove(
      'digits',
      beside(() => '7'.repeat(bodyBytes - 64)),
    ),
  ];
}

/** Bodies of Move Files and Copy Files. */
function transfers(count: Count): HostileRequest[] {
  const bytes = count(maxTransferBytes - 1024);
  const transfer = (
    operation: 'move' | 'copy',
    name: string,
    body: () => string,
    prepare?: HostileRequest['prepare'],
  ): HostileRequest => ({
    name: `files/${operation}: ${name}`,
    method: 'POST',
    path: `/files/${operation}`,
    body,
    ...(prepare && { prepare }),
  });
  const each = (pair: (n: number) => readonly [string, string]) => () =>
    `{"overwrite":true,"files":[${listed(count(1000), (n) => {
      const [from, to] = pair(n);
      return `{"from":"${from}","to":"${to}"}`;
    })}]}`;
  const small = filesOf(count(1000), 1);
  return [
    transfer(
      'move',
      '1000 files',
      each((n) => [fileName(n), `moved/${n}`]),
      small,
    ),
    transfer(
      'move',
      '1000 files in a circle',
      each((n) => [fileName(n), fileName((n + 1) % count(1000))]),
      count(1000) > 1 ? small : undefined,
    ),
    transfer(
      'move',
      '1000 files with long names',
      each((n) => [fileName(n), `${n}${'ä'.repeat(500)}`]),
      small,
    ),
    transfer(
      'move',
      '1000 that are missing',
      each((n) => [`x${n}`, `y${n}`]),
    ),
    transfer(
      'copy',
      '1000 files of a byte',
      each((n) => [fileName(n), `copied/${n}`]),
      small,
    ),
    transfer(
      'copy',
      'one file of 16 KiB to 1000 names',
      each((n) => ['first', `copied/${n}`]),
      filesOf(0, 16 * 1024),
    ),
    transfer(
      'copy',
      'one file of 17 KiB over 1000 names',
      each((n) => ['first', fileName(n)]),
      filesOf(count(1000), 17 * 1024),
    ),
    transfer('copy', 'millions of files', () => `{"files":[${filled(bytes, '{}')}]}`),
    transfer('copy', 'millions of values', () => `{"files":${denseObjects(bytes)}}`),
    transfer('copy', 'millions of members', () => manyMembers(bytes)),
    transfer('move', 'one long name', () => `{"files":[{"from":"${'a'.repeat(bytes - 64)}","to":"b"}]}`),
    transfer('move', 'lists that never end', () => '['.repeat(bytes)),
    transfer('move', 'digits', () => `{"files":${'7'.repeat(bytes - 64)}}`),
    transfer('move', 'white space', () => `{"files":${' '.repeat(bytes - 64)}[]}`),
  ];
}

/** Requests that change many files whose rows are large. */
function richRows(most: number): HostileRequest[] {
  const names = () => `{"names":[${listed(most, (n) => `"${longName(n)}"`)}]}`;
  const moves = () =>
    `{"overwrite":true,"files":[${listed(most, (n) => `{"from":"${longName(n)}","to":"${longName(n, 'to')}"}`)}]}`;
  const prepare = richFilesOf(most);
  const withTrash = async (place: Place) => {
    await prepare(place);
    await must(200, place.base.sendText('PUT', '/settings', '{"trash":"1d"}'));
  };
  const ids = async ({ base }: Place) => {
    const reply = await must(200, base.sendText('GET', '/trash?limit=1000', ''));
    return reply.json<{ files: { id: string }[] }>().files.map(({ id }) => id);
  };
  const restore = async (place: Place) => {
    const files = (await ids(place)).map((id) => ({ id }));
    return await place.base.sendText('POST', '/trash/restore', JSON.stringify({ files }));
  };
  const empty = async (place: Place) =>
    place.base.sendText('DELETE', '/trash', JSON.stringify({ ids: await ids(place) }));
  return [
    { name: 'files/move: 1000 large rows', method: 'POST', path: '/files/move', body: moves, prepare },
    { name: 'Delete Files: 1000 large rows', method: 'DELETE', path: '/files', body: names, prepare },
    {
      name: 'Delete Files: 1000 large rows into the trash',
      method: 'DELETE',
      path: '/files',
      body: names,
      prepare: withTrash,
    },
    { name: 'List Trash: 1000 large rows', path: '/trash?limit=1000', prepare: trashedFilesOf(most) },
    { name: 'Restore Files: 1000 large rows', send: restore, prepare: trashedFilesOf(most) },
    { name: 'Empty Trash: 1000 large rows', send: empty, prepare: trashedFilesOf(most) },
    {
      name: 'Empty Trash: all',
      method: 'DELETE',
      path: '/trash?all=true',
      prepare: trashedFilesOf(most),
    },
  ];
}

/** Bodies of Change File. */
function changes(count: Count): HostileRequest[] {
  const bytes = count(maxChangeBytes - 1024);
  const change = (name: string, body: () => string): HostileRequest => ({
    name: `Change File: ${name}`,
    method: 'PATCH',
    path: '/files?name=first',
    body,
    prepare: filesOf(0, 1),
  });
  return [
    change('a type', () => '{"content_type":"text/plain"}'),
    change('a long type', () => `{"content_type":"a/b${';a=b'.repeat(bytes / 4 - 64)}"}`),
    change('a type of quotes', () => `{"content_type":"a/b;a=\\"${'\\\\'.repeat(bytes / 4)}"}`),
    change('absurd digits', () => `{"expires":1${'0'.repeat(bytes - 64)}}`),
    change('an exponent', () => '{"expires":1e999999999}'),
    change('dense objects', () => `{"expires":${denseObjects(bytes)}}`),
    change('lists that never end', () => '['.repeat(bytes)),
  ];
}

/** Requests that read many files, or one many times. */
function reading(count: Count): HostileRequest[] {
  const get = (name: string, path: string, more: Partial<HostileRequest> = {}): HostileRequest => ({
    name,
    method: 'GET',
    path,
    ...more,
  });
  const many = filesOf(count(5000), 1);
  const large = filesOf(0, 10 * 1024 * 1024);
  const ranges = (one: string) => `bytes=${Array(50).fill(one).join()}`;
  const tags = Array(1500).fill('"0123456789abcdef"').join(', ');
  const read = '/files/download?name=first';
  return [
    get('List Files: 1000 with details', '/files?details=true', { prepare: many }),
    get('List Files: one directory', '/files?recursive=false&prefix=', { prepare: many }),
    get('List Files: a long prefix', `/files?prefix=${'a%2F'.repeat(5000)}`, { prepare: many }),
    get('Download File: 50 whole ranges of 10 MiB', read, {
      headers: { Range: ranges('0-') },
      prepare: large,
    }),
    get('Download File: 50 ranges of a byte', read, {
      headers: { Range: ranges('5000000-5000000') },
      prepare: large,
    }),
    get('Download File: thousands of ranges', read, {
      headers: { Range: `bytes=${Array(7000).fill('0-0').join()}` },
      prepare: large,
    }),
    get('Download File: thousands of tags', read, { headers: { 'If-None-Match': tags }, prepare: large }),
    get('Download File: a range of white space', read, {
      headers: { Range: `bytes=0-0,${' '.repeat(28_000)}x` },
      prepare: large,
    }),
    get('Statistics', '/stats', { prepare: many }),
    { name: 'Delete All Files', method: 'DELETE', path: '/files?all=true', prepare: many },
  ];
}
