import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type FileRow, readRow } from '../../../../src/drive/rows.js';
import type { Store } from '../../../../src/engines/store.js';
import { busyFiles, disturbed, watchOwners } from '../../../support/busy-files.js';
import {
  blobsOf,
  bytesOf,
  drive,
  folderStore,
  memoryStore,
  problemsOf,
  rowsOf,
  runCopy,
  servicesOver,
} from '../../../support/copy-fixture.js';

const files = 400;
const runs = 3;

/** The names of each content. */
async function namesByContent(store: Store): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const { key, value } of await rowsOf(store)) {
    if (!key.startsWith('name/')) continue;
    const { id } = readRow<FileRow>(value);
    found.set(id, [...(found.get(id) ?? []), key]);
  }
  return found;
}

interface Places {
  readonly source: Store;
  readonly to: Store;
  /** Whether the source keeps the bytes of what is deleted during a run, as one does that this process serves. */
  readonly holds: boolean;
}

async function copyWhileFilesMove({ source, to, holds }: Places, seed: number): Promise<void> {
  const busy = await busyFiles(source, files, seed);
  const shared: string[] = [];
  const destination = watchOwners(to, (id, keys) => shared.push(`${id}: ${keys.join(', ')}`));
  for (let run = 1; run <= runs; run++) {
    const moving = disturbed(source, busy.inTurn(8));
    const { holdGarbage } = busy.services.drives;
    const report = await runCopy(moving, destination, holds ? { holdGarbage } : {});
    assert.deepEqual(report.problems, [], `run ${run}`);
    assert.deepEqual(shared, [], `run ${run}: contents with two owners`);
    const names = await namesByContent(to);
    const wrong = [...busy.kept].filter((id) => names.get(id)?.length !== 1);
    assert.deepEqual(wrong, [], `run ${run}: contents that were only moved, and do not have one name`);
    assert.deepEqual(await problemsOf(to), [], `run ${run}`);
  }
  const last = await runCopy(source, destination);
  assert.deepEqual(last.problems, []);
  assert.deepEqual(await rowsOf(to), await rowsOf(source));
  const bytes = await blobsOf(source);
  for (const [id, copied] of await blobsOf(to)) assert.deepEqual(copied, bytes.get(id));
  const names = [...busy.names];
  for (const name of names) assert.deepEqual(await bytesOf(to, name), await bytesOf(source, name));

  const copy = servicesOver(to);
  const deleted = names.filter((_, n) => n % 2 === 0);
  await copy.drives.remove(...drive, deleted);
  await copy.sweep();
  for (const name of names.filter((_, n) => n % 2 === 1))
    assert.deepEqual(await bytesOf(to, name), await bytesOf(source, name));
  assert.deepEqual(await problemsOf(to), []);
}

describe('copy while files are moved, copied, overwritten, deleted and uploaded: every content has one name in it', () => {
  for (const [name, from, to, holds] of [
    ['memory to memory', memoryStore, memoryStore, true],
    ['memory to a folder', memoryStore, folderStore, false],
    ['a folder to a folder', folderStore, folderStore, true],
  ] as const) {
    for (const seed of [1, 2]) {
      test(`${name}, seed ${seed}`, async (context) => {
        await copyWhileFilesMove({ source: await from(context), to: await to(context), holds }, seed);
      });
    }
  }
});
