// What every command needs first: installed packages and compiled TypeScript. This file may import only Node's own
// modules, because it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Installs and compiles what is missing, and prints nothing if nothing is missing. Exits the process on a failure. */
export function setUp(projects) {
  requireNode();
  install();
  build(projects);
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
  if (isInstalled()) return;
  console.error('Installing packages …');
  // npm gives its own path to the scripts that it runs; otherwise the npm on the path is used.
  const npm = process.env.npm_execpath;
  // Installs what the lock file says, and does not change it. `npm ci` would reject a lock file without the packages of
  // other platforms, which is what a registry that mirrors only some packages leads to.
  const options = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  if (npm?.endsWith('.js')) must(process.execPath, [npm, ...options], 'Installing failed');
  else must(process.platform === 'win32' ? 'npm.cmd' : 'npm', options, 'Installing failed');
}

/** Compiles what has changed since the last time. */
function build(projects = ['.']) {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  must(process.execPath, [compiler, '-b', ...projects], 'Compiling failed');
}

/**
 * Whether node_modules has the packages of package-lock.json. This compares versions, because the times of files mean
 * little after a copy or a checkout. Packages of other platforms may be missing.
 */
function isInstalled() {
  const found = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(found)) return false;
  const installed = packagesOf(found);
  return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(([path, wanted]) => {
    if (!path.includes('node_modules/')) return true;
    const present = installed[path];
    if (present === undefined) return wanted.optional === true;
    return present.version === wanted.version && present.integrity === wanted.integrity;
  });
}

function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

function must(command, options, failure) {
  const { status, error } = spawnSync(command, options, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  console.error(error === undefined ? failure : `${failure}: ${error.message}`);
  process.exit(1);
}
