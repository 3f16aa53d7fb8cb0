import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { ClaimedDestination } from '../../../src/store/copy/copy-marker.js';
import { createCopyRun } from '../../../src/store/copy/copy-run.js';
import { createMeter } from '../../../src/store/copy/progress.js';
import { applyDrive } from '../../../src/store/standby/apply-drive.js';
import { drive, memoryStore, rowsOf, servicesOver } from '../../support/copy-fixture.js';

const files = 20;
const space = `drive/${drive.join('/')}`;

/** A drive of files with long metadata, all of them noted; `apply` brings them to an empty store within some memory. */
async function changed(context: TestContext) {
  const [source, destination] = [await memoryStore(context), await memoryStore(context)];
  const { drives } = servicesOver(source);
  for (let n = 0; n < files; n++) {
    const metadata = { note: 'x'.repeat(2000) };
    await drives.put(...drive, `f${n}`, { source: Buffer.from('x'), contentType: 'text/plain', metadata });
  }
  const keys = new Set((await rowsOf(source)).filter((row) => row.space === space).map(({ key }) => key));
  const names = new Set([...keys].filter((key) => key.startsWith('name/')));
  assert.equal(names.size, files);
  const claimed = { stillHeld: async () => {} } as ClaimedDestination;
  const options = { claimed, blobsThere: 'whole' as const, meter: createMeter(() => {}), heldForMs: 0 };
  const run = createCopyRun({ source, destination, blobsAtOnce: 1 }, options);
  const late = async (known: ReadonlySet<string>) => new Set(known);
  const tear = async () => {};
  return {
    drives,
    apply: (maxBytes?: number) => applyDrive(run, { space, keys: names, late, tear }, maxBytes),
    rows: async () => (await rowsOf(destination)).length,
  };
}

describe('the noted rows of a drive', () => {
  test('are not applied when they take more memory than a step has, and nothing is changed', async (context) => {
    const { apply, rows } = await changed(context);
    assert.equal(await apply(files * 2000), false);
    assert.equal(await rows(), 0);
    assert.equal(await apply(), true);
    assert.ok((await rows()) >= 2 * files);
  });

  test('count as they are at both stores', async (context) => {
    const { apply, drives } = await changed(context);
    const enoughForOne = files * 3000;
    assert.equal(await apply(enoughForOne), true);
    assert.equal(await apply(enoughForOne), false);
    for (let n = 1; n < files; n++) await drives.remove(...drive, [`f${n}`]);
    assert.equal(await apply(enoughForOne + 3000), true);
  });
});
