// Puts the compiled server into a few files, in dist/src/bundled: a start opens them in a third of the time that hundreds of
// modules take. `src/main.ts` says when they are used. It does nothing if nothing was compiled since.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { licensesOf } from './bundle-licenses.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const compiled = join(here, 'dist', 'src');
/** As deep as the modules that find files of the package by their own place. */
const output = join(compiled, 'bundled');
const entry = 'run-process.js';
const manifest = 'package.json';
/** What every command but that of the server needs. */
const ofCommands = ['cli/all-commands.js'];
/** What a server on its embedded engines needs at its start. */
const ofServer = [
  'server/start.js',
  'server/startup-message.js',
  'engines/level/store.js',
  'engines/fs/store.js',
];
/** A file each: the modules that all of these lists import, however indirectly. The first that has a module keeps it. */
const files = {
  program: [['cli/program.js', 'cli/output/status-line.js']],
  shared: [ofCommands, ofServer],
  commands: [ofCommands],
  server: [ofServer],
};

/** The files whose code is kept compiled (keep-code.cjs). */
const kept = ['program', 'shared', 'server'];
/**
 * The packages that every start loads: in the bundle, they take a third of the time. What is native, optional or rarely
 * used stays outside.
 */
const packages = [
  '#client',
  '@fastify/busboy',
  'classic-level',
  'commander',
  'content-disposition',
  'fastest-levenshtein',
  'find-my-way',
  'fresh',
  'mime-types',
  'pino',
  'range-parser',
  'sax',
];
/** It finds the compiled LevelDB by its own place. */
const native = 'classic-level/binding.js';

/** Bundles if something was compiled since the last time. The server must be compiled. */
export async function bundleServer() {
  if (isFresh()) return;
  const { rolldown } = await import('rolldown');
  const imports = new Map();
  const noteImports = {
    name: 'note-imports',
    moduleParsed({ id, importedIds, dynamicallyImportedIds }) {
      imports.set(id, importedIds);
      // The scripts of the bundle cannot do it.
      const [outside] = dynamicallyImportedIds.filter((imported) => isOutside(imported, id));
      if (outside !== undefined)
        throw new Error(`${id} must load ${outside} with a module of its own, which imports it`);
    },
  };
  const bundle = await rolldown({
    input: join(compiled, entry),
    platform: 'node',
    tsconfig: false,
    external: isOutside,
    plugins: [keepNative, noteImports],
    preserveEntrySignatures: false,
    checks: { ineffectiveDynamicImport: false },
  });
  // Complete, or not there: other processes may start in the meantime.
  const temporary = join(here, 'dist', `.${process.pid}`);
  const folder = join(temporary, 'bundled');
  mkdirSync(folder, { recursive: true });
  try {
    await bundle.write({
      dir: folder,
      // Of modules, Node 20 cannot keep compiled code.
      format: 'cjs',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: Object.entries(files).map(([name, lists], index, { length }) => {
          let closures;
          const test = (id) => {
            closures ??= lists.map((roots) => closureOf(roots, imports));
            return closures.every((modules) => modules.has(id));
          };
          return { name, test, priority: length - index };
        }),
      },
    });
    writeFileSync(join(folder, manifest), JSON.stringify({ type: 'commonjs', node: process.version }));
    writeFileSync(join(folder, 'licenses.txt'), licensesOf([...imports.keys()]));
    for (const name of kept) keepCode(folder, name);
    copyFileSync(join(here, 'kept-code.cjs'), join(folder, 'kept-code.cjs'));
    execFileSync(process.execPath, [join(here, 'keep-code.cjs'), folder], { stdio: 'inherit' });
    rmSync(output, { recursive: true, force: true });
    renameSync(folder, output);
  } catch (cause) {
    // Another process may have been faster.
    if (!isFresh()) throw cause;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function isOutside(id, importer) {
  if (id.startsWith('.') || id.startsWith('/')) return false;
  const isOurs = importer === undefined || !importer.includes(`${sep}node_modules${sep}`);
  return (
    id.startsWith('node:') || (isOurs && !packages.some((name) => id === name || id.startsWith(`${name}/`)))
  );
}

const keepNative = {
  name: 'keep-native',
  resolveId: (id, importer) =>
    id === './binding' && importer?.includes(join('node_modules', 'classic-level'))
      ? { id: native, external: true }
      : undefined,
};

/** Puts a file that loads its kept code in the place of a file, which becomes ASCII. */
function keepCode(folder, name) {
  const text = readFileSync(join(folder, `${name}.js`), 'utf8');
  const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  writeFileSync(join(folder, `${name}-code.js`), text.replace(/[^\0-\x7f]/g, escaped));
  const line = `require('./kept-code.cjs').run(module, require, '${name}-code.js');\n`;
  writeFileSync(join(folder, `${name}.js`), line);
}

/** The modules at these paths, and all that they import, and so on. */
function closureOf(roots, imports) {
  const found = new Set(roots.map((path) => join(compiled, path)));
  for (const id of found) for (const imported of imports.get(id) ?? []) found.add(imported);
  return found;
}

function isFresh() {
  const writtenMs = (...path) => statSync(join(...path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const bundledMs = writtenMs(output, manifest);
  const sources = ['dist/tsconfig.tsbuildinfo', 'bundle.mjs', 'keep-code.cjs', 'kept-code.cjs'];
  if (!sources.every((path) => bundledMs > writtenMs(here, path))) return false;
  // The code that is kept is of one version of Node.
  return JSON.parse(readFileSync(join(output, manifest), 'utf8')).node === process.version;
}

if (pathToFileURL(process.argv[1] ?? '').href === import.meta.url) await bundleServer();
