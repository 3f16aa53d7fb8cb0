import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../test', import.meta.url));

/**
 * The compiled tests that can run against a given service. Those in the folders next to them start servers of their own, or
 * need none: `npm test` and `npm run check` run them.
 */
export async function suiteFiles(): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.test.js'));
  return files.sort().map((file) => join(folder, file));
}
