import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCopyLines, progressText } from '../../../src/cli/output/copy-progress.js';
import type { CopyProgress } from '../../../src/store/copy/progress.js';
import { fill, memoryStore, runCopy } from '../../support/copy-fixture.js';

const base: CopyProgress = { phase: 'copying', rows: 0, blobs: 0, bytes: 0, seconds: 0 };

test('a line of progress shows what is known', () => {
  assert.equal(progressText(base), 'Copying');
  assert.equal(
    progressText({ ...base, rows: 12_000, blobs: 3, bytes: 1_234_000_000, share: 0.25, seconds: 60 }),
    'Copying: 25% · 3 min left · 12,000 rows · 3 blobs · 1.2 GB · 20.6 MB/s',
  );
  assert.equal(progressText({ ...base, rows: 5, share: 1, seconds: 7 }), 'Copying: 100% · 0 s left · 5 rows');
  assert.match(progressText({ ...base, share: 0.02, seconds: 600 }), /· 8 h 10 min left/);
});

test('a terminal shows every line in one place; a file gets one line a phase, then one every five seconds', () => {
  const printed: string[] = [];
  const shown: string[] = [];
  const print = (line: string) => printed.push(line);
  const onTerminal = createCopyLines({ print, show: (line) => shown.push(line) });
  for (const rows of [1, 2, 3]) onTerminal({ ...base, rows });
  assert.deepEqual([shown.length, printed.length], [3, 0]);
  const toFile = createCopyLines({ print });
  for (const rows of [1, 2, 3]) toFile({ ...base, rows });
  toFile({ ...base, phase: 'cleaning' });
  assert.deepEqual(printed, ['Copying: 1 row', 'Deleting what the source no longer has']);
});

test('the bytes to copy are counted at the first run and known in later runs', async (context) => {
  const source = await memoryStore(context);
  await (await fill(source)).sweep();
  const destination = await memoryStore(context);
  const phases: (readonly [string, number | undefined])[] = [];
  // A phase that takes long is told again.
  const listen = ({ phase, share }: CopyProgress) => {
    if (phases.at(-1)?.[0] !== phase) phases.push([phase, share]);
  };
  await runCopy(source, destination, { listen });
  assert.deepEqual(phases, [
    ['counting', undefined],
    ['copying', 0],
    ['cleaning', undefined],
  ]);
  phases.length = 0;
  await runCopy(source, destination, { listen, verify: true });
  assert.deepEqual(
    phases.map(([phase]) => phase),
    ['copying', 'cleaning', 'verifying'],
  );
});
