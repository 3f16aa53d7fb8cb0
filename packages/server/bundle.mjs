// Puts the compiled server into a few files, in dist/src/bundled: a start opens them in half of the time that hundreds of
// modules take. Packages stay outside. `src/main.ts` says when they are used. It does nothing if nothing was compiled since.
import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const compiled = join(here, 'dist', 'src');
/** As deep as the modules that find files of the package by their own place. */
const output = join(compiled, 'bundled');
const entry = 'run-process.js';
/** A file each: modules with all that they import. The first that has a module keeps it. */
const files = {
  /** What every command needs. */
  program: ['cli/program.js'],
  /** What every command but that of the server needs beyond that. */
  commands: ['cli/all-commands.js'],
  /** What a server on its embedded engines needs at its start beyond that. */
  server: ['server/start.js', 'server/startup-message.js', 'engines/level/store.js', 'engines/fs/store.js'],
};

/** Bundles if something was compiled since the last time. The server must be compiled. */
export async function bundleServer() {
  if (isFresh()) return;
  const { rolldown } = await import('rolldown');
  const imports = new Map();
  const noteImports = {
    name: 'note-imports',
    moduleParsed: ({ id, importedIds }) => void imports.set(id, importedIds),
  };
  const bundle = await rolldown({
    input: join(compiled, entry),
    platform: 'node',
    tsconfig: false,
    external: (id) => !id.startsWith('.') && !id.startsWith('/'),
    plugins: [noteImports],
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
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name].js',
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: Object.entries(files).map(([name, roots], index, { length }) => {
          let modules;
          const test = (id) => {
            modules ??= closureOf(roots, imports);
            return modules.has(id);
          };
          return { name, test, priority: length - index };
        }),
      },
    });
    rmSync(output, { recursive: true, force: true });
    renameSync(folder, output);
  } catch (cause) {
    // Another process may have been faster.
    if (!isFresh()) throw cause;
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** The modules at these paths, and all that they import, and so on. */
function closureOf(roots, imports) {
  const found = new Set(roots.map((path) => join(compiled, path)));
  for (const id of found) for (const imported of imports.get(id) ?? []) found.add(imported);
  return found;
}

function isFresh() {
  const writtenMs = (...path) => statSync(join(...path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const bundledMs = writtenMs(output, entry);
  return (
    bundledMs > writtenMs(here, 'dist', 'tsconfig.tsbuildinfo') && bundledMs > writtenMs(here, 'bundle.mjs')
  );
}

if (pathToFileURL(process.argv[1] ?? '').href === import.meta.url) await bundleServer();
