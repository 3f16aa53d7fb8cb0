import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOpenLists } from '../../../src/drive/downloads/open-lists.js';
import { contentKey } from '../../../src/drive/rows.js';

const space = 'drive/demo/films';
const film = { id: 'a'.repeat(32), layout: 'parts', sizeBytes: 2 } as const;
const pieces = [1, 2].map((n) => ({ id: String(n).repeat(32), layout: 'blob', sizeBytes: 1, crc32: n }));

/** Rows whose reads are counted. */
function rowsOf(rows: ReadonlyMap<string, Buffer>) {
  const reads: string[] = [];
  return {
    reads,
    async get(_space: string, key: string) {
      reads.push(key);
      return rows.get(key);
    },
  };
}

test('downloads of a content share the list of its pieces until the last one has ended', async () => {
  const items = rowsOf(new Map([[contentKey(film.id), Buffer.from(JSON.stringify(pieces))]]));
  const lists = createOpenLists(items);
  const opened = Array.from({ length: 50 }, () => lists.open(space, film));
  const found = await Promise.all(opened.map((list) => list.pieces));
  assert.deepEqual(found[0], pieces);
  assert.equal(new Set(found).size, 1);
  assert.equal(items.reads.length, 1);

  for (const list of opened.slice(1)) list.close();
  assert.equal(lists.size, 1);
  opened[0]?.close();
  assert.equal(lists.size, 0);

  await lists.open(space, film).pieces;
  assert.equal(items.reads.length, 2);
});

test('a list that is missing is looked for again', async () => {
  const rows = new Map<string, Buffer>();
  const lists = createOpenLists(rowsOf(rows));
  const first = lists.open(space, film);
  assert.equal(await first.pieces, undefined);
  first.close();
  rows.set(contentKey(film.id), Buffer.from(JSON.stringify(pieces)));
  assert.deepEqual(await lists.open(space, film).pieces, pieces);
});
