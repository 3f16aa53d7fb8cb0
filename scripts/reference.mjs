// `npm run reference` writes what comes from the operations of the compiled server: the tables of docs/http.md. With
// `-- --check` it only tells whether they are up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTables } from './reference/tables.mjs';
import { root } from './setup.mjs';

const server = '../packages/server/dist/src';
const { operations } = await import(`${server}/server/operations.js`);
const { problemCodes } = await import(`${server}/problem-codes.js`);

const path = 'docs/http.md';
const file = join(root, path);
const present = readFileSync(file, 'utf8');
const made = withTables(present, operations, problemCodes);
if (made !== present) {
  if (!process.argv.includes('--check')) writeFileSync(file, made);
  else {
    console.error(`${path} is not up to date: run npm run reference`);
    process.exitCode = 1;
  }
}
