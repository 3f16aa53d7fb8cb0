// Runs many small test files in one process: to start Node and to load the service takes longer than most of them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './setup.mjs';
import { isThorough } from './test-files.mjs';

/** More files in a group would gain little, and the last group of a run would take longer than the others. */
const mostFiles = 12;

/**
 * What a process has only once: a file that changes or measures it runs by itself, so that no other file sees it.
 * Tests replace the clock, timers and variables of the environment, and look at the heap.
 */
const ofProcess =
  /\bmock\.|process\.(env|on|once|emit)\b|setFlagsFromString|memory-watch|memoryUsage|globalThis|setTextExchange/;

/**
 * Files that are about disks, or that count a server's files as its memory: their data stay on the disk. Those of the others
 * are in the folder that BASEDRIVE_TEST_MEMORY names, if it is set: many of them would mostly wait for the disk.
 */
const onDisk = /[/\\](attacks|engines|faults|long)[/\\]|full-disk|doctor/;
const inMemory = process.env.BASEDRIVE_TEST_MEMORY ?? '';

/**
 * Writes a test file for each group of neighbours into the folder, which is empty, and gives what to run instead, as
 * a map from each, a group or a file that runs by itself, to the files in it. Tests that take long are not in groups.
 */
export function grouped(paths, folder, maxFiles = mostFiles) {
  const files = paths.map((path) => relative(root, resolve(root, path)));
  const isAlone = (file) => isThorough(file) || ofProcess.test(readFileSync(join(root, file), 'utf8'));
  const alone = files.filter(isAlone);
  const groups = alone.filter(isInMemory).map((file) => [file]);
  /** The group of each package and place that is not full yet. */
  const open = new Map();
  for (const file of files) {
    if (alone.includes(file)) continue;
    const kind = `${packageOf(file)} ${isInMemory(file)}`;
    const last = open.get(kind);
    if (last !== undefined && last.length < maxFiles) last.push(file);
    else {
      const group = [file];
      open.set(kind, group);
      groups.push(group);
    }
  }
  const toRun = new Map();
  for (const [index, group] of groups.entries()) {
    const path = join(folder, `group-${String(index).padStart(3, '0')}.test.mjs`);
    const suites = group.map((file) => {
      const url = pathToFileURL(join(root, file)).href;
      return `describe(${JSON.stringify(file)}, async () => { await import(${JSON.stringify(url)}); });`;
    });
    const place = isInMemory(group[0]) ? [`process.env.TMPDIR = ${JSON.stringify(inMemory)};`] : [];
    writeFileSync(path, ["import { describe } from 'node:test';", ...place, ...suites, ''].join('\n'));
    toRun.set(path, group);
  }
  for (const file of alone.filter((each) => !isInMemory(each))) toRun.set(file, [file]);
  return toRun;
}

function isInMemory(file) {
  return inMemory !== '' && !onDisk.test(file);
}

/** The package that a test belongs to. */
function packageOf(file) {
  return file.slice(0, file.indexOf(join(sep, 'dist', sep)));
}
