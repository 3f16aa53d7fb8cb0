import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { bytesOf } from '../../src/random.js';

const mib = 1024 * 1024;

/** A project as the old service saved it: items by base, with every kind of value, and files by drive and name. */
const bases: Readonly<Record<string, readonly object[]>> = {
  users: Array.from({ length: 300 }, (_, n) => ({
    key: `user${n}`,
    name: `Zoë ${n}`,
    age: n % 90,
    tags: ['a', null],
  })),
  'order-lines': [
    {
      key: 'a/b c',
      price: 0.1,
      total: 9007199254740991,
      small: -1.5e-7,
      deep: { list: [{ x: true }, [], {}] },
    },
    { key: 'émoji 🙂', text: 'line\nbreak "quoted" \\ \u0001', empty: '', none: null },
    { key: 'late', __expires: 4102444800 },
  ],
  empty: [],
};
const drives: Readonly<Record<string, Readonly<Record<string, Buffer>>>> = {
  photos: {
    'cat.png': bytesOf(1, 900),
    'summer 2021/beach ü.jpg': bytesOf(2, 300_000),
    'summer 2021/film.mp4': bytesOf(3, 11 * mib),
  },
  'my-notes': { 'a/b/c.txt': Buffer.from('Grüße\n'), empty: Buffer.alloc(0) },
};

/** Writes the archive, with all of it in one folder, as a download of the old service had it. */
export async function writeSavedProject(path: string): Promise<void> {
  const zip = new ZipFile();
  for (const [base, items] of Object.entries(bases)) {
    zip.addBuffer(Buffer.from(JSON.stringify(items)), `my-project/bases/${base}.json`);
  }
  for (const [drive, files] of Object.entries(drives)) {
    for (const [name, bytes] of Object.entries(files))
      zip.addBuffer(bytes, `my-project/drives/${drive}/${name}`);
  }
  zip.end();
  await finished(zip.outputStream.pipe(createWriteStream(path)));
}

/** Throws unless an export has exactly the items and files of the saved project. */
export async function checkExportOfSaved(folder: string): Promise<void> {
  const { entries } = JSON.parse(await readFile(join(folder, 'basedrive.json'), 'utf8')) as {
    entries: { base?: string; drive?: string; name?: string; path: string }[];
  };
  const byKey = (items: readonly object[]) =>
    new Map(items.map((item) => [(item as { key: string }).key, item]));
  const found = new Set<string>();
  for (const { base, drive = '', name = '', path } of entries) {
    const bytes = await readFile(join(folder, path));
    found.add(base ?? `${drive}/${name}`);
    if (base === undefined) assert.ok(drives[drive]?.[name]?.equals(bytes), `the bytes of ${drive}/${name}`);
    else assert.deepEqual(byKey(JSON.parse(bytes.toString())), byKey(bases[base] ?? []));
  }
  const files = Object.entries(drives).flatMap(([drive, names]) =>
    Object.keys(names).map((name) => `${drive}/${name}`),
  );
  // A base without items does not exist.
  const filled = Object.keys(bases).filter((base) => bases[base]?.length !== 0);
  assert.deepEqual(found, new Set([...filled, ...files]));
}
