import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createEntrySpool } from '../../src/archive/export/entry-spool.js';
import { temporaryFolder } from '../support/archive-project.js';

test('an entry spool is removed also while an entry is written', async (context) => {
  const folder = await temporaryFolder(context);
  const spool = await createEntrySpool(join(folder, 'entries'));
  const entry = { base: 'b', path: 'x'.repeat(100_000), items: 1, size: 1, sha256: '' };
  // It has more to write than it takes at once: so its file is open when this is done.
  for (let n = 0; n < 3; n++) await spool.add(entry);
  spool.add(entry).catch(() => {});
  await spool.remove();
  assert.deepEqual(await readdir(folder), []);
});

test('an entry is one line, whatever characters its name has', async (context) => {
  const spool = await createEntrySpool(join(await temporaryFolder(context), 'entries'));
  // `readline` of Node 24 ends a line at the first two.
  const names = ['a\u2028b', 'a\u2029b', 'a\u0085b', 'a\r\nb', ' ', 'ä'.repeat(100_000)];
  for (const base of names) await spool.add({ base, path: 'x', items: 1, size: 1, sha256: '' });
  const found: unknown[] = [];
  for await (const line of spool.lines()) found.push(JSON.parse(line).base);
  await spool.remove();
  assert.deepEqual(found, names);
});
