import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openPacks } from '../../../../src/engines/fs/packs/packs.js';
import { syncFolder } from '../../../../src/lib/folder.js';
import { patterned } from '../../../conformance/blob-store-suite.js';
import { temporaryFolder } from '../../../support/run-cli.js';

const program = fileURLToPath(new URL('../../../support/killed-packs.js', import.meta.url));
const kills = 12;

test('a kill at any moment takes no blob that was added, and brings back none that was deleted', async (context) => {
  const folder = join(await temporaryFolder(context), 'packs');
  const added = new Map<string, number>();
  const deleting = new Set<string>();
  const deleted = new Set<string>();
  let unfinishedRewrites = 0;

  for (let round = 0; round < kills; round++) {
    const child = spawn(process.execPath, [program, folder, String(round * 1_000_000)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let lines = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      const [what, id = '', n] = line.split(' ');
      if (what === '+') added.set(id, Number(n));
      else (what === '?' ? deleting : deleted).add(id);
      // More and more is done before the kill, so that it comes at other moments.
      if (++lines === 50 + round * 80) child.kill('SIGKILL');
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    assert.equal(child.signalCode, 'SIGKILL');
    unfinishedRewrites += (await readdir(folder, { recursive: true })).filter((name) =>
      name.endsWith('.new'),
    ).length;

    const packs = await openPacks({
      folder,
      packBytes: 300_000,
      clock: Date.now,
      isAlone: true,
      makeFolder: () => undefined,
      syncFolder,
    });
    for (const [id, n] of added) {
      const bytes = await packs.readWhole(id);
      if (deleted.has(id)) assert.equal(bytes, undefined, `${id} is deleted`);
      else if (!deleting.has(id)) assert.ok(bytes?.equals(patterned(bytes.length, n)), `${id} is there`);
    }
    const listed = new Set<string>();
    for await (const { id } of packs.list()) listed.add(id);
    for (const id of added.keys()) {
      if (deleted.has(id)) assert.ok(!listed.has(id));
      else if (!deleting.has(id)) assert.ok(listed.has(id), `${id} is listed`);
    }
    await packs.close();
  }
  context.diagnostic(`${added.size} added, ${deleted.size} deleted, ${unfinishedRewrites} rewrites cut off`);
});
