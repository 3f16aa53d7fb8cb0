// What both commands need before they can do their work: the packages installed, the TypeScript compiled.
// Only Node's own modules here: it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Installs and compiles what is missing; says nothing when nothing is to do. Ends the process when it fails. */
export function setUp(projects) {
  requireNode();
  install();
  build(projects);
}

/** Older ones fail later, and say less. */
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
  console.error('Installing the packages …');
  // npm tells the scripts that it runs where it is; without it, the one on the path.
  const npm = process.env.npm_execpath;
  // By the lock, which stays as it is. `npm ci` would refuse a lock that lacks a package which only another
  // platform needs, as registries that mirror a part of the packages make them.
  const options = ['install', '--no-save', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  if (npm?.endsWith('.js')) must(process.execPath, [npm, ...options], 'Installing failed');
  else must(process.platform === 'win32' ? 'npm.cmd' : 'npm', options, 'Installing failed');
}

/** `tsc -b` compiles what changed since the last time and looks through the rest in a moment. */
function build(projects = ['.']) {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  must(process.execPath, [compiler, '-b', ...projects], 'Compiling failed');
}

/**
 * Whether what lies in node_modules is what package-lock.json names. By content: times of files say little
 * after a copy or a checkout. Packages of other platforms may be absent.
 */
function isInstalled() {
  const found = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(found)) return false;
  const installed = packagesOf(found);
  return Object.entries(packagesOf(join(root, 'package-lock.json'))).every(([path, wanted]) => {
    if (!path.includes('node_modules/')) return true;
    const there = installed[path];
    if (there === undefined) return wanted.optional === true;
    return there.version === wanted.version && there.integrity === wanted.integrity;
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
