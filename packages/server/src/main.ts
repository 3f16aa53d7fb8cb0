#!/usr/bin/env node
// An older Node must be able to read this file to say that it is too old: so it has the syntax of Node 12, without ?. and ??, and
// imports nothing first.

/** `engines` in package.json says it to npm. */
const oldest = [20, 19] as const;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** The program in a few files, which bundle.mjs makes of its modules: they load in a third of the time. */
const bundled = './bundled/run-process.js';

if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) {
  // Stays if something waits for ever: the program itself exits with a code.
  process.exitCode = 13;
  void (isBundled() ? import(bundled) : import('./run-process.js'));
} else {
  const found = `${process.versions.node} (${process.execPath})`;
  process.stderr.write(`basedrive: Node.js ${oldest.join('.')} or later is needed, and this is ${found}\n`);
  process.exitCode = 2;
}

/** Whether those files are there, and not older than the modules: where the server is developed they may be. */
function isBundled(): boolean {
  const { statSync } = process.getBuiltinModule('node:fs');
  const writtenMs = (path: string) => {
    const found = statSync(new URL(path, import.meta.url), { throwIfNoEntry: false });
    return found === undefined ? 0 : found.mtimeMs;
  };
  return writtenMs(bundled) > writtenMs('../tsconfig.tsbuildinfo');
}
