// Writes packages/client/src/http-types.ts, the bodies of requests and answers as types, from the operations in src/. They are
// read uncompiled, because the client is compiled first: the server uses it. It does nothing if no source has changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { typesText } from './text.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const source = fileURLToPath(new URL('../src', import.meta.url));
const types = fileURLToPath(new URL('../../client/src/http-types.ts', import.meta.url));
const compiled = fileURLToPath(new URL('../dist', import.meta.url));
/** The hash of what the types were last made from. */
const stamp = join(compiled, 'http-types-from');
const modules = ['server/operations', 'openapi/document', 'openapi/bodies', 'json/schema'];

/** Writes the types if a source has changed, and leaves the file alone if they are what they were. */
export async function buildHttpTypes() {
  const hash = hashSources();
  if (existsSync(types) && read(stamp) === hash) return;
  const { operations, openApiDocument, withNamedBodies, naming } = await loadSources();
  const { schemas } = openApiDocument(operations).components;
  const text = typesText(schemas, operations.map(withNamedBodies), (schema) => schema[naming].name);
  if (read(types) !== text) replace(types, text);
  replace(stamp, hash);
}

/** What these modules export. They are bundled into one, whose types are removed without a check: the compiler does that. */
async function loadSources() {
  const { rolldown } = await import('rolldown');
  const exported = modules.map((path) => `export * from ${JSON.stringify(join(source, `${path}.ts`))};`);
  const bundle = await rolldown({
    input: 'sources',
    platform: 'node',
    tsconfig: false,
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && id !== 'sources',
    plugins: [
      {
        name: 'sources',
        resolveId: (id) => (id === 'sources' ? id : undefined),
        load: (id) => (id === 'sources' ? exported.join('\n') : undefined),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  // Beside the compiled code, where packages are found.
  const file = join(compiled, `.${process.pid}.mjs`);
  replace(file, output[0].code);
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file);
  }
}

/** By content: times of files mean little after a checkout. */
function hashSources() {
  const hash = createHash('sha256');
  for (const folder of [here, source]) {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const files = entries.map((entry) => join(entry.parentPath ?? entry.path, entry.name));
    for (const file of files.sort()) hash.update(`${relative(folder, file)}\n`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Whole, or not at all: another process may build at the same time. */
function replace(file, text) {
  mkdirSync(compiled, { recursive: true });
  const unfinished = join(compiled, `.${process.pid}.unfinished`);
  writeFileSync(unfinished, text);
  renameSync(unfinished, file);
}

await buildHttpTypes();
