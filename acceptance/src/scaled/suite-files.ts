import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../test', import.meta.url));

/** These ignore the running service: they start servers of their own, or need none. They run in `npm test`. */
const ofOwnServers: readonly string[] = [
  'abuse',
  'crash',
  'deta-client',
  'disk-faults',
  'docs',
  'docs-links',
  'fuzz',
  'kills',
  'log',
  'power-cut',
];

/** The compiled tests that can be pointed at a running service. */
export async function suiteFiles(): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.test.js'));
  const missing = ofOwnServers.filter((name) => !files.includes(`${name}.test.js`));
  if (missing.length > 0) throw new Error(`There is no test ${missing.join(', ')} to leave out`);
  return files
    .filter((file) => !ofOwnServers.includes(file.replace('.test.js', '')))
    .sort()
    .map((file) => join(folder, file));
}
