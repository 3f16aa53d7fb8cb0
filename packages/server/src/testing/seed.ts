import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { JsonError, parseJson, writtenHere } from '../json/parse.js';
import { stringifyJson } from '../json/stringify.js';
import type { JsonValue } from '../json/value.js';
import { OperatorError } from '../operator-error.js';

/** What a seed has stored. */
export interface Seeded {
  readonly items: number;
  readonly files: number;
}

/** The project that is seeded, and how to reach it. */
export interface SeedTarget {
  /** `http://127.0.0.1:1234/v1/demo` */
  readonly root: string;
  readonly key: string;
}

/**
 * Stores what a folder has: `bases/NAME.json` (a JSON list of items, `{"items":[…]}`, or one item a line) and
 * `drives/NAME/path…`, through the HTTP API. Throws `OperatorError` with the file and what is wrong with it.
 */
export async function seed(folder: string, target: SeedTarget): Promise<Seeded> {
  const bases = await entriesOf(join(folder, 'bases'));
  const drives = await entriesOf(join(folder, 'drives'));
  if (bases === undefined && drives === undefined)
    throw new OperatorError(`There is neither bases/ nor drives/ in ${folder}`);
  let items = 0;
  for (const { name } of (bases ?? []).filter((entry) => entry.name.endsWith('.json')))
    items += await seedBase(join(folder, 'bases', name), name.slice(0, -'.json'.length), target);
  let files = 0;
  for (const { name } of (drives ?? []).filter((entry) => entry.isDirectory()))
    files += await seedDrive(join(folder, 'drives', name), name, target);
  return { items, files };
}

async function entriesOf(folder: string): Promise<readonly Dirent[] | undefined> {
  return await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw new OperatorError(`${folder} cannot be read: ${cause.message}`, { cause });
  });
}

async function seedBase(file: string, base: string, { root, key }: SeedTarget): Promise<number> {
  const lines = itemLines(await readFile(file), file);
  if (lines.length === 0) return 0;
  const answer = await fetch(`${root}/${encodeURIComponent(base)}/items`, {
    method: 'PUT',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson' },
    body: lines.join('\n'),
  });
  const told = (await answer.text()).trim().split('\n');
  // A line for each refused item, then the totals.
  if (answer.status !== 200 || told.length > 1) throw new OperatorError(`${file}: ${told[0]}`);
  return lines.length;
}

/** The items, each as one line of JSON, with every digit as it is written. */
function itemLines(bytes: Buffer, file: string): readonly string[] {
  const whole = tryParse(bytes);
  const list = Array.isArray(whole) ? whole : itemsOf(whole);
  if (list !== undefined) return list.map(stringifyJson);
  return bytes
    .toString()
    .split('\n')
    .flatMap((line, at) => {
      if (line.trim() === '') return [];
      const item = tryParse(Buffer.from(line));
      if (item === undefined) throw new OperatorError(`${file}: line ${at + 1} is not JSON`);
      return [stringifyJson(item)];
    });
}

/** The list of an object that has nothing but `items`. */
function itemsOf(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  if (!(value instanceof Map) || value.size !== 1) return undefined;
  const items = value.get('items');
  return Array.isArray(items) ? items : undefined;
}

function tryParse(bytes: Buffer): JsonValue | undefined {
  try {
    return parseJson(bytes, writtenHere);
  } catch (cause) {
    if (cause instanceof JsonError) return undefined;
    throw cause;
  }
}

async function seedDrive(folder: string, drive: string, { root, key }: SeedTarget): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) {
    const path = join(parentPath, name);
    const target = encodeURIComponent(relative(folder, path).replaceAll(sep, '/'));
    const answer = await fetch(`${root}/${encodeURIComponent(drive)}/files?name=${target}`, {
      method: 'POST',
      headers: { 'X-API-Key': key },
      body: await readFile(path),
    });
    const told = await answer.text();
    if (answer.status !== 201) throw new OperatorError(`${path}: ${told}`);
  }
  return files.length;
}
