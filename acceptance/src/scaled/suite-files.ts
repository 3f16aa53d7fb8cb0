import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../test', import.meta.url));

/** These tests ignore the given service: they start servers of their own, or need none. `npm test` runs them. */
const excluded: readonly string[] = [
  'abuse',
  'crash',
  'deta-client',
  'disk-faults',
  'docs',
  'docs-links',
  'flood',
  'fuzz',
  'history-under-kills',
  'index-crash',
  'kills',
  'log',
  'memory',
  'openapi-client',
  'openapi-comparison',
  'operator-path',
  'power-cut',
  'slow-handshakes',
  'stall',
];

/** The compiled tests that can run against a given service. */
export async function suiteFiles(): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.test.js'));
  const missing = excluded.filter((name) => !files.includes(`${name}.test.js`));
  if (missing.length > 0) throw new Error(`The tests to exclude are missing: ${missing.join(', ')}`);
  return files
    .filter((file) => !excluded.includes(file.replace('.test.js', '')))
    .sort()
    .map((file) => join(folder, file));
}
