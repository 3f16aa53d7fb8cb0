import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../test', import.meta.url));

/** The tests that store no file: what they ask for never reaches the bytes of a store. */
const ofItemsAlone = [
  'activity',
  'aggregates',
  'bulk',
  'claims',
  'conditions',
  'index-kinds',
  'indexes',
  'item-rules',
  'items',
  'numbers',
  'profile',
  'query',
  'query-operators',
  'query-order',
  'query-paging',
  'returned-items',
  'sets',
  'shape',
  'transactions',
  'update',
].map((name) => `${name}.test.js`);

/**
 * The compiled tests that can run against a given service. Those in the folders next to them start servers of their own, or
 * need none: `npm test` and `npm run check` run them. With `storesFiles`, those that may store a file.
 */
export async function suiteFiles({ storesFiles = false } = {}): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.test.js'));
  const gone = ofItemsAlone.filter((name) => !files.includes(name));
  if (gone.length > 0) throw new Error(`Tests that are left out no longer exist: ${gone.join(', ')}`);
  const wanted = files.filter((file) => !storesFiles || !ofItemsAlone.includes(file));
  return wanted.sort().map((file) => join(folder, file));
}
