import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const module = JSON.stringify(new URL('../../src/server/log-output.js', import.meta.url).href);
/** Fill several batches, with characters of one to four bytes where one ends and the next begins. */
const texts = [
  ...Array.from({ length: 2000 }, (_, n) => `${n} ${'a\u00e9\u20ac\u{1f600}'.repeat(n % 40)}`),
  'long '.repeat(50_000),
  '\u20ac'.repeat(30_000),
  'last',
];

test('every line of the log is written once and whole, whatever its characters and its length', () => {
  const program = `
    const { openLog } = await import(${module});
    const { logger, flush } = await openLog('info', 'json');
    for (const text of ${JSON.stringify(texts)}) logger.info({ text }, 'told');
    flush();
  `;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module'], {
    input: program,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const lines = stdout.trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => (JSON.parse(line) as { text: string }).text),
    texts,
  );
});
