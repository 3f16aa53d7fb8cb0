// Builds the console into the server's package: bundles it with Vite and compresses every file. It does nothing if no
// source has changed since the last build. The client library must be compiled.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const output = join(here, '..', 'server', 'console');
/** The hash of what the last build was made from. */
const stamp = join(here, 'dist', 'built-from');

const noncePlaceholder = '{nonce}';

/** Builds if a source has changed. Gives whether it did. */
export async function buildConsole() {
  const source = hashSources();
  if (readStamp() === source && existsSync(join(output, 'index.html'))) return false;
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: here,
    base: './',
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    // Stands for the nonce that the server gives each page: packages/server/src/console/policy.ts
    html: { cspNonce: noncePlaceholder },
    build: {
      outDir: output,
      emptyOutDir: true,
      target: 'es2022',
      // A `data:` address would be refused by the page's policy, and so would the polyfill's inline script.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // The code for PDFs, which is loaded with the first one.
      chunkSizeWarningLimit: 2000,
      rolldownOptions: {
        output: {
          // What the first load needs is one file, although parts that are loaded later need some of it, too.
          codeSplitting: {
            groups: [{ name: 'index', tags: ['$initial'], includeDependenciesRecursively: false }],
          },
        },
      },
      // Of every package that is bundled: packages/server/src/console/pages.ts serves them.
      license: { fileName: 'assets/licenses.txt' },
    },
  });
  for (const file of filesBelow(output)) compress(file);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, source);
  return true;
}

/** The hash of all sources by their content: times of files mean little after a checkout. */
function hashSources() {
  const files = [
    join(here, 'build.mjs'),
    join(here, 'index.html'),
    join(here, 'package.json'),
    ...filesBelow(join(here, 'src')),
    ...filesBelow(join(here, '..', 'client', 'src')),
  ];
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${relative(here, file)}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

function readStamp() {
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
}

/** Writes `.br` and `.gz` beside a file that becomes smaller by it. The page is not sent as it is. */
function compress(file) {
  const bytes = readFileSync(file);
  if (!['.css', '.js', '.svg', '.txt'].includes(extname(file))) return;
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, quality));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

if (pathToFileURL(process.argv[1] ?? '').href === import.meta.url) await buildConsole();
