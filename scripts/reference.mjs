// `npm run reference` writes what comes from the operations of the compiled server: the tables of docs/http.md and the
// types of the client library. With `-- --check` it only tells what is not up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withTables } from './reference/tables.mjs';
import { clientTypes } from './reference/types.mjs';
import { root } from './setup.mjs';

const server = '../packages/server/dist/src';
const { operations } = await import(`${server}/server/operations.js`);
const { openApiDocument } = await import(`${server}/openapi/document.js`);
const { withNamedBodies } = await import(`${server}/openapi/bodies.js`);
const { problemCodes } = await import(`${server}/problem-codes.js`);
const { naming } = await import(`${server}/json/schema.js`);

const document = openApiDocument(operations);
const isCheck = process.argv.includes('--check');

update('docs/http.md', (page) => withTables(page, operations, problemCodes));
const bodies = operations.map(withNamedBodies);
const nameOf = (schema) => schema[naming].name;
update('packages/client/src/http-types.ts', () => clientTypes(document.components.schemas, bodies, nameOf));

function update(path, make) {
  const file = join(root, path);
  const present = readFileSync(file, 'utf8');
  const made = make(present);
  if (made === present) return;
  if (!isCheck) writeFileSync(file, made);
  else {
    console.error(`${path} is not up to date: run npm run reference`);
    process.exitCode = 1;
  }
}
