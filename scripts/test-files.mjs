// Which compiled tests there are. Node 20 cannot be given a pattern, so the files are listed here.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
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

/** Paths of the compiled tests, relative to the root, in a steady order. */
export function testFiles() {
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
