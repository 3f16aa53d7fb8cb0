// Which compiled tests there are. Node 20 cannot be given a pattern, so the files are listed here.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { root } from './setup.mjs';

/** The folders of the workspace that hold compiled code. */
function projects() {
  const packages = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
  return [...packages, join(root, 'acceptance'), join(root, 'bench')].filter((folder) =>
    existsSync(join(folder, 'dist')),
  );
}

/** Takes away what was compiled from a file that is gone: a removed test must not go on running. */
export function removeStaleOutput() {
  for (const project of projects()) {
    for (const file of filesBelow(join(project, 'dist'))) {
      const [, stem] =
        /^(.*?)(\.d\.ts|\.js|\.js\.map|\.d\.ts\.map)$/.exec(relative(join(project, 'dist'), file)) ?? [];
      if (stem === undefined) continue;
      const hasSource = ['.ts', '.tsx'].some((ending) => existsSync(join(project, stem + ending)));
      if (!hasSource) rmSync(file);
    }
  }
}

/** Folders of tests that need more than Node and npm: a PostgreSQL, an S3 store, both. */
const parts = ['postgres', 's3', 'moving'];

/** Paths of the compiled tests that need nothing else, relative to the root, in a steady order. */
export function testFiles() {
  return allTestFiles().filter((file) => !parts.some((part) => isOf(file, part)));
}

/** Those that need one of these parts. */
export function serviceTestFiles(wanted) {
  return allTestFiles().filter((file) => wanted.some((part) => isOf(file, part)));
}

function isOf(file, part) {
  return file.split(sep).includes(part);
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
