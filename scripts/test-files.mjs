// Finds the compiled tests: Node 20 does not accept a pattern of test files.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';
import { root } from './setup.mjs';

/** The folders of the workspace that have compiled code. */
function projects() {
  const packages = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
  return [...packages, join(root, 'acceptance'), join(root, 'bench')].filter((folder) =>
    existsSync(join(folder, 'dist')),
  );
}

/** The folders of compiled code, each with the folder of its sources. The client library is compiled three times. */
function outputs() {
  const client = ['client/cjs', 'server/client'].map((folder) => [
    join(root, 'packages', folder),
    join(root, 'packages/client/src'),
  ]);
  return [...projects().map((project) => [join(project, 'dist'), project]), ...client];
}

/** Removes the output of source files that no longer exist: a removed test does not run any more, nor is it packed. */
export function removeStaleOutput() {
  for (const [output, sources] of outputs()) {
    for (const file of filesBelow(output)) {
      const [, stem] = /^(.*?)(\.d\.ts|\.js|\.js\.map|\.d\.ts\.map)$/.exec(relative(output, file)) ?? [];
      // packages/server/bundle.mjs writes files that have no source of their name.
      if (stem === undefined || isIn(file, 'bundled')) continue;
      const hasSource = ['.ts', '.tsx'].some((ending) => existsSync(join(sources, stem + ending)));
      if (!hasSource) rmSync(file);
    }
  }
}

/** The folders of tests that need a PostgreSQL, an S3 store, both, or the S3 clients of Debian. */
const services = {
  postgres: 'postgres',
  s3: join('engines', 's3'),
  moving: 'moving',
  's3-clients': 's3-clients',
};
const needService = (file, names = Object.keys(services)) => names.some((name) => isIn(file, services[name]));

/**
 * The folders of tests that take long: they start commands, packages or many servers, attack and kill them, or try
 * thousands of cases. `npm test` leaves them out, and `npm run check` runs them.
 */
const thorough = ['archive', 'attacks', 'cli', 'faults', 'long', 'mcp', 'packaging'];
/** They try many cases, and are where they are because other suites run that folder as a whole. */
const thoroughFiles = ['cut-requests', 'isolation', 'races'].map((name) =>
  join('acceptance/dist/test', `${name}.test.js`),
);

/**
 * Folders and files that `npm test` leaves out, too: they copy whole stores, or take three seconds, or two of the
 * processor's. They still share a process with others.
 */
const slow = [
  [
    'acceptance',
    ['own-server/deta-client', 'own-server/fair-projects', 'own-server/s3-options', 'ended-keys'],
  ],
  [
    'acceptance',
    [
      'key-limits',
      'limited-keys',
      'many-keys',
      'move-copy',
      'refusal-times',
      's3-key-scopes',
      's3-uploads',
      'signed-keys',
    ],
  ],
  ['packages/client', ['base/bulk', 'drive/files', 'drive/transfer', 'feed/feed-recipes', 'feed/live']],
  ['packages/client', ['http/retry', 'old-habits', 'readme']],
  ['packages/server', ['store/check/', 'store/copy/', 'store/standby/']],
  [
    'packages/server',
    [
      'base/aggregates/bounds',
      'base/indexes/entry-budget',
      'base/indexes/reading-cost',
      'base/profile/sample-keys',
    ],
  ],
  ['packages/server', ['engines/fs/reclaim', 'lib/heap-growth', 's3/signature']],
  [
    'packages/server',
    ['catalog/counters', 'catalog/service', 'drive/transfers/transfer', 'drive/uploads/uploads'],
  ],
  ['packages/server', ['engines/level/due-index', 'engines/level/snapshot', 'engines/level/external-memory']],
  ['packages/server', ['engines/level/verify', 'feed/large-rows', 'hooks/deliveries']],
  ['packages/server', ['http/connections/paced-reading', 'json/parsed-size', 'server/ended-keys']],
  ['packages/server', ['server/fronts/streams', 'server/limits']],
].flatMap(([project, names]) =>
  names.map((name) => join(project, 'dist/test', name.endsWith('/') ? name : `${name}.test.js`)),
);

/** The sorted paths of the compiled tests that need no service, relative to the root. */
export function testFiles() {
  return allTestFiles().filter((file) => !needService(file));
}

/** Those of `testFiles` that are run after every change. */
export function quickTestFiles() {
  return testFiles().filter((file) => !isThorough(file) && !slow.some((path) => file.startsWith(path)));
}

/** Whether this test file, relative to the root, takes so long that it has a process of its own. */
export function isThorough(file) {
  return thoroughFiles.includes(file) || thorough.some((folder) => isIn(file, folder));
}

/**
 * Those of these files whose path, compiled or of the source, contains one of the words; and the words of which none has
 * any. So a word may be a path as an editor gives it: `./acceptance/test/get.test.ts`.
 */
export function matching(files, words) {
  const texts = words.map((word) => ({
    word,
    text: (isAbsolute(word) ? relative(root, word) : word).replace(/^\.\//, ''),
  }));
  const has = (file, text) => file.includes(text) || sourceOf(file).includes(text);
  return {
    files: files.filter((file) => texts.some(({ text }) => has(file, text))),
    unmatched: texts.filter(({ text }) => !files.some((file) => has(file, text))).map(({ word }) => word),
  };
}

function sourceOf(file) {
  return file.replace(join(sep, 'dist', sep), sep).replace(/\.js$/, '.ts');
}

/** The sorted paths of the compiled tests that need one of these services, relative to the root. */
export function serviceTestFiles(wanted) {
  return allTestFiles().filter((file) => needService(file, wanted));
}

function isIn(file, folder) {
  return file.includes(sep + folder + sep);
}

function allTestFiles() {
  return projects()
    .flatMap((project) => filesBelow(join(project, 'dist', 'test')))
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => relative(root, file))
    .sort();
}

function filesBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
