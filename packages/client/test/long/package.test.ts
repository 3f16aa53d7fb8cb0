import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { key, ownService } from '../support/service.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const attw = fileURLToPath(
  new URL('../../../../../node_modules/@arethetypeswrong/cli/dist/index.js', import.meta.url),
);
const tsc = fileURLToPath(new URL('../../../../../node_modules/typescript/bin/tsc', import.meta.url));
const run = promisify(execFile);
/** All packages that `npm install basedrive-client` installs besides. */
const dependencies = ['yauzl', 'yazl', 'buffer-crc32', 'pend'];

describe('the package as it is published', () => {
  // What the applications write has names that other tests use, too.
  const service = ownService();
  let project: string;
  let version: string;
  const environment = () => ({
    PATH: process.env.PATH,
    HOME: project,
    BASEDRIVE_KEY: key,
    BASEDRIVE_URL: service.url,
  });
  const npm = (...words: string[]) =>
    run('npm', [...words, '--loglevel=error'], { cwd: project, env: environment() });

  before(async () => {
    project = await mkdtemp(join(tmpdir(), 'basedrive-package-'));
    await npm('pack', root, '--pack-destination', project);
    await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}');
    ({ version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string });
    // Offline: what the package depends on is packed from this workspace.
    const folders = dependencies.map((name) => join(root, '../../node_modules', name));
    const { stdout } = await npm('pack', ...folders, '--pack-destination', project);
    const packed = [`basedrive-client-${version}.tgz`, ...stdout.trim().split('\n')];
    const tarballs = packed.map((name) => `./${name}`);
    await npm('install', ...tarballs, '--offline', '--ignore-scripts', '--no-audit', '--no-fund');
  });
  after(() => rm(project, { recursive: true }));

  const write = (name: string, text: string) => writeFile(join(project, name), text);

  test('publint finds no problem', async () => {
    const { messages, pkg } = await publint({ pkgDir: root, strict: true });
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg ?? {})),
      [],
    );
  });

  test('every way to resolve the package finds its types, and they are those of the code that is loaded', async () => {
    const tarball = join(project, `basedrive-client-${version}.tgz`);
    // It ends with 1 if it finds a problem.
    const { stdout } = await run(process.execPath, [attw, tarball, '--format', 'json']).catch((error) => {
      throw new Error((error as { stdout: string }).stdout);
    });
    const { analysis, problems = {} } = JSON.parse(stdout) as { analysis?: object; problems?: object };
    assert.ok(analysis !== undefined);
    assert.deepEqual(problems, {});
  });

  test('the package has the library, its types, the README and the licence, and nothing else', async () => {
    const { stdout } = await run('tar', ['-tzf', join(project, `basedrive-client-${version}.tgz`)]);
    const files = stdout
      .trim()
      .split('\n')
      .map((name) => name.replace('package/', ''));
    const code = files.filter((file) =>
      /^(dist\/src|cjs)\/(archive\/)?([a-z-]+\/)?[a-z.-]+\.(js|d\.ts)$/.test(file),
    );
    const others = files.filter((file) => !code.includes(file)).sort();
    assert.deepEqual(others, ['LICENSE', 'README.md', 'cjs/package.json', 'package.json']);
    // Both forms have the same files.
    const esm = code.filter((file) => file.startsWith('dist/'));
    assert.ok(esm.includes('dist/src/index.js') && esm.includes('dist/src/index.d.ts'));
    const cjs = esm.map((file) => file.replace('dist/src', 'cjs'));
    assert.deepEqual([...esm, ...cjs].sort(), code.sort());
  });

  test('it brings four small packages along, which need nothing else and no install script', async () => {
    const lock = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    const installed = Object.entries(lock.packages).filter(([path]) => path !== '');
    assert.deepEqual(
      installed.map(([path]) => path.replace('node_modules/', '')).sort(),
      ['basedrive-client', ...dependencies].sort(),
    );
    assert.ok(installed.every(([, { hasInstallScript }]) => hasInstallScript !== true));
  });

  test('an application in JavaScript can import the package', async () => {
    await write(
      'app.js',
      `import { Base, Basedrive, Deta, Drive } from 'basedrive-client';
       await Basedrive().Base('b').put({ n: 1 }, 'k');
       const file = await Drive('d').put('f', { path: 'package.json' });
       console.log(await Base('b').get('k'), file, (await Deta().Drive('d').get('f')).type);`,
    );
    const { stdout } = await run(process.execPath, ['app.js'], { cwd: project, env: environment() });
    assert.equal(stdout, "{ n: 1, key: 'k' } f application/octet-stream\n");
  });

  /** Compiles without the types of Node, and checks the declarations of the package, too. */
  const compile = async (file: string, module = 'nodenext') => {
    const strict = [
      '--strict',
      '--target',
      'es2023',
      '--module',
      module,
      '--lib',
      'es2023,dom',
      '--types',
      '',
    ];
    await run(process.execPath, [tsc, ...strict, file], { cwd: project }).catch((error) => {
      throw new Error((error as { stdout: string }).stdout);
    });
  };

  test('an application for Node can transfer folders, and its types are there', async () => {
    await write(
      'folders.ts',
      `import { Drive } from 'basedrive-client';
       import { downloadFolder, type FolderResult } from 'basedrive-client/node';
       const result: FolderResult = await downloadFolder(Drive('nothing'), 'nothing');
       console.log(result.files);`,
    );
    await compile('folders.ts');
    const { stdout } = await run(process.execPath, ['folders.js'], { cwd: project, env: environment() });
    assert.equal(stdout, '0\n');
  });

  test('an application for Node can export and import a project, and its types are there', async () => {
    await write(
      'archive.ts',
      `import { Base, BasedriveError } from 'basedrive-client';
       import { type ExportReport, exportProject, type ImportReport, importProject } from 'basedrive-client/node';
       await Base('archived').put({ n: 1 }, 'k');
       const out: ExportReport = await exportProject('all.zip', { bases: ['archived'] });
       await Base('archived').delete('k');
       const back: ImportReport = await importProject('all.zip', { onProgress: ({ share }) => share });
       const taken = await exportProject('all.zip').catch((error: unknown) => error);
       console.log(out.items, back.items, await Base('archived').get('k'), taken instanceof BasedriveError && taken.code);`,
    );
    await compile('archive.ts');
    const { stdout } = await run(process.execPath, ['archive.js'], { cwd: project, env: environment() });
    assert.equal(stdout, "1 1 { n: 1, key: 'k' } conflict\n");
  });

  /** What an application in CommonJS does with the package. */
  const useAll = `
    await Base('c').put({ n: 1 }, 'k');
    await Drive('c').put('f', { path: __filename });
    const { items, files } = await exportProject(process.argv[2] ?? '', { bases: ['c'], drives: ['c'] });
    const taken = await exportProject(process.argv[2] ?? '').catch((error: unknown) => error);
    console.log(await Base('c').get('k'), items, files, taken instanceof BasedriveError && taken.code);`;
  const used = "{ n: 1, key: 'k' } 1 1 conflict\n";
  const required = `const { Base, BasedriveError, Drive } = require('basedrive-client');
     const { exportProject } = require('basedrive-client/node');
     (async () => {${useAll.replaceAll(': unknown', '')}})();`;
  /** Before Node 20.19, require() could not load ES modules. */
  const oldNode = '--no-experimental-require-module';

  test('an application can load the package with require, as CommonJS', async () => {
    await write('app.cjs', required);
    const words = [oldNode, 'app.cjs', 'required.zip'];
    const { stdout } = await run(process.execPath, words, { cwd: project, env: environment() });
    assert.equal(stdout, used);
  });

  test('a runner of tests that loads each module itself as CommonJS, as Jest does, can load the package', async () => {
    await write('tested.cjs', required);
    await write(
      'runner.cjs',
      `const { readFileSync } = require('node:fs');
       const { createRequire, isBuiltin } = require('node:module');
       const { compileFunction } = require('node:vm');
       const loaded = new Map();
       function load(file) {
         if (loaded.has(file)) return loaded.get(file).exports;
         const module = { exports: {} };
         loaded.set(file, module);
         const { resolve } = createRequire(file);
         const requireHere = (name) => (isBuiltin(name) ? require(name) : load(resolve(name)));
         // There are no ES modules here: neither "export" nor "import()" works.
         const names = ['module', 'exports', 'require', '__filename'];
         const body = compileFunction(readFileSync(file, 'utf8'), names, { filename: file });
         body(module, module.exports, requireHere, file);
         return module.exports;
       }
       load(require.resolve('./tested.cjs'));`,
    );
    const words = ['runner.cjs', 'run.zip'];
    const { stdout } = await run(process.execPath, words, { cwd: project, env: environment() });
    assert.equal(stdout, used);
  });

  test('an application in TypeScript whose modules are CommonJS (node16) compiles and runs', async () => {
    await mkdir(join(project, 'commonjs'));
    await write('commonjs/package.json', '{"private":true}');
    await write(
      'commonjs/app.ts',
      `import { Base, BasedriveError, Drive } from 'basedrive-client';
       import { exportProject, type ExportReport } from 'basedrive-client/node';
       declare const process: { argv: string[] };
       declare const __filename: string;
       export type Report = ExportReport;
       void (async () => {${useAll}})();`,
    );
    await compile('commonjs/app.ts', 'node16');
    assert.match(await readFile(join(project, 'commonjs/app.js'), 'utf8'), /require\("basedrive-client"\)/);
    const words = [oldNode, 'commonjs/app.js', 'compiled.zip'];
    const { stdout } = await run(process.execPath, words, { cwd: project, env: environment() });
    assert.equal(stdout, used);
  });

  for (const [what, options] of [
    [
      'with the types of Node',
      ['--lib', 'es2023', '--types', 'node', '--typeRoots', join(root, '../../node_modules/@types')],
    ],
    ['with the types of browsers', ['--lib', 'es2023,dom', '--types', '']],
    [
      'through a bundler',
      ['--lib', 'es2023,dom', '--types', '', '--module', 'esnext', '--moduleResolution', 'bundler'],
    ],
  ] as const) {
    test(`an application in TypeScript compiles ${what}`, async () => {
      await write(
        'app.ts',
        `import { type Base, Basedrive, type Item, util } from 'basedrive-client';
         interface User { name: string; age: number }
         const users: Base<User> = Basedrive('a_b').Base<User>('users');
         export async function birthday(key: string): Promise<Item<User> | null> {
           await users.update({ age: util.increment() }, key);
           // @ts-expect-error no such attribute
           await users.fetch({ nobody: 1 });
           return await users.get(key);
         }`,
      );
      // Without skipLibCheck, so that the compiler checks the declarations, too.
      const strict = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext'];
      await run(process.execPath, [tsc, ...strict, ...options, 'app.ts'], { cwd: project }).catch((error) => {
        throw new Error((error as { stdout: string }).stdout);
      });
    });
  }

  const bundle = (code: string, platform: 'browser' | 'node' = 'browser') =>
    build({
      stdin: { contents: code, resolveDir: project },
      bundle: true,
      minify: true,
      format: 'esm',
      platform,
      write: false,
      metafile: true,
    });
  const bundled = async (code: string) => (await bundle(code)).outputFiles[0]?.contents ?? new Uint8Array();

  test('the library is smaller than 16 KiB, minified and gzipped, and a bundler leaves out unused code', async (t) => {
    const all = gzipSync(await bundled("export * from 'basedrive-client'")).length;
    const base = gzipSync(await bundled("export { Base } from 'basedrive-client'")).length;
    const drive = gzipSync(await bundled("export { Drive } from 'basedrive-client'")).length;
    const error = (await bundled("export { BasedriveError } from 'basedrive-client'")).length;
    t.diagnostic(`all ${all} bytes, a base ${base}, a drive ${drive}`);
    assert.ok(all > 2000 && all < 16 * 1024, `${all} bytes`);
    assert.ok(base < all * 0.8, `${base} of ${all} bytes for a base`);
    assert.ok(drive < all * 0.8, `${drive} of ${all} bytes for a drive`);
    assert.ok(error < 1000, `${error} bytes for an error`);
  });

  test('a bundle for browsers imports nothing, and one for Node opens local files', async () => {
    const { metafile } = await bundle("export * from 'basedrive-client'");
    const outputs = Object.values(metafile.outputs);
    assert.deepEqual(
      outputs.map(({ imports }) => imports),
      [[]],
    );
    const code = `import { Drive } from 'basedrive-client';
      console.log(await Drive('bundled').put('f', { path: 'package.json' }));`;
    await write('bundle.js', (await bundle(code, 'node')).outputFiles[0]?.text ?? '');
    const { stdout } = await run(process.execPath, ['bundle.js'], { cwd: project, env: environment() });
    assert.equal(stdout, 'f\n');
  });
});
