import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../test', import.meta.url));

/**
 * The tests of the bytes of files. What the others ask for hardly reaches the bytes of a store: names, details and headers of files are
 * rows.
 */
const ofFiles = [
  'delete-all',
  'delete-files',
  'file-expiry',
  'files',
  'forms',
  'link-downloads',
  'link-parts',
  'link-uploads',
  'move-copy',
  'old-clients',
  'open-uploads',
  'public-files',
  'ranges',
  's3-objects',
  's3-uploads',
  'trash',
  'uploads',
].map((name) => `${name}.test.js`);

/**
 * The compiled tests that can run against a given service. Those in the folders next to them start servers of their own, or
 * need none: `npm test` and `npm run check` run them. With `onlyFiles`, the tests of files.
 */
export async function suiteFiles({ onlyFiles = false } = {}): Promise<string[]> {
  const all = (await readdir(folder)).filter((file) => file.endsWith('.test.js'));
  const gone = ofFiles.filter((name) => !all.includes(name));
  if (gone.length > 0) throw new Error(`Tests of files no longer exist: ${gone.join(', ')}`);
  const wanted = onlyFiles ? ofFiles : all;
  return wanted.toSorted().map((file) => join(folder, file));
}
