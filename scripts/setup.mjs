// What every command needs first: installed packages, compiled TypeScript and the built console. This file may import only Node's own
// modules, because it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wasInterrupted, withMarker } from './interruption.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packages = join(root, 'node_modules');
/** Markers of work in progress. */
const installing = join(packages, '.basedrive-installing');
const compiling = join(packages, '.basedrive-compiling');

/**
 * Installs, compiles and bundles what is missing, and prints nothing if nothing is missing. Exits the process on a
 * failure.
 */
export function setUp() {
  setUpServer(['.']);
  runScript('Bundling the server failed', 'packages', 'server', 'bundle.mjs');
}

/** The same for these projects of TypeScript only, without the bundle. */
export function setUpServer(projects) {
  requireNode();
  install();
  buildHttpTypes();
  build(projects);
  buildConsole();
}

/** Exits if Node is too old: it would fail later with an error that is harder to understand. */
function requireNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [wantedMajor, wantedMinor] = engines.node.match(/\d+/g).map(Number);
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
  console.error(`Basedrive needs Node.js ${engines.node}; this is ${process.versions.node}`);
  process.exit(1);
}

export function install() {
  const state = installState();
  if (state === 'complete') return;
  if (state === 'incomplete') {
    console.error(
      'The packages are incomplete, probably because their installation was interrupted: removing them …',
    );
    rmSync(packages, { recursive: true, force: true });
  }
  console.error('Installing packages …');
  // npm gives its own path to the scripts that it runs; otherwise the npm on the path is used.
  const npm = process.env.npm_execpath;
  // Installs what the lock file says, and does not change it. `npm ci` would reject a lock file without the packages of
  // other platforms, which is what a registry that mirrors only some packages leads to.
  const options = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  must('Installing failed', () =>
    withMarker(installing, () =>
      npm?.endsWith('.js')
        ? run(process.execPath, [npm, ...options])
        : run(process.platform === 'win32' ? 'npm.cmd' : 'npm', options),
    ),
  );
}

/** Writes the types that the client library has from the operations of the server, if one has changed. */
export function buildHttpTypes() {
  runScript('Writing the types of the client failed', 'packages', 'server', 'http-types', 'build.mjs');
}

/** Compiles what has changed since the last time; everything if the last time was interrupted. */
function build(projects) {
  const compiler = join(packages, 'typescript', 'bin', 'tsc');
  const options = wasInterrupted(compiling) ? ['--force'] : [];
  must('Compiling failed', () =>
    withMarker(compiling, () => run(process.execPath, [compiler, '-b', ...projects, ...options])),
  );
}

/** Builds the console if one of its sources has changed. */
function buildConsole() {
  runScript('Building the console failed', 'packages', 'console', 'build.mjs');
}

function runScript(failure, ...path) {
  const script = join(root, ...path);
  // A part of the repository may be copied without it.
  if (existsSync(script)) must(failure, () => run(process.execPath, [script]));
}

/**
 * Whether node_modules has the packages of package-lock.json: `complete`, `outdated` (npm can install what differs), or
 * `incomplete` (an installation was interrupted; npm would take a half-written package for a whole one). This compares
 * versions, because the times of files mean little after a copy or a checkout. Packages of other platforms may be
 * missing.
 */
function installState() {
  if (!existsSync(packages)) return 'outdated';
  // npm writes this file at the end.
  const found = join(packages, '.package-lock.json');
  if (!existsSync(found) || wasInterrupted(installing)) return 'incomplete';
  const installed = packagesOf(found);
  const isWritten = (path) => existsSync(join(root, path, 'package.json'));
  const isListed = ([path]) => path.includes('node_modules/');
  if (
    !Object.entries(installed)
      .filter(isListed)
      .every(([path]) => isWritten(path))
  )
    return 'incomplete';
  const wanted = Object.entries(packagesOf(join(root, 'package-lock.json'))).filter(isListed);
  const isInstalled = ([path, { version, integrity, optional }]) => {
    const present = installed[path];
    if (present === undefined) return optional === true;
    return present.version === version && present.integrity === integrity;
  };
  return wanted.every(isInstalled) ? 'complete' : 'outdated';
}

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

function run(command, options) {
  return spawnSync(command, options, { cwd: root, stdio: ['ignore', 2, 2] });
}

function must(failure, work) {
  const { status, error } = work();
  if (status === 0) return;
  console.error(error === undefined ? failure : `${failure}: ${error.message}`);
  process.exit(1);
}
