#!/usr/bin/env node
// An older Node must be able to read this file to say that it is too old: so it has old syntax, and imports nothing first.

/** `engines` in package.json says it to npm. */
const oldest = [20, 19] as const;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) {
  // Stays if something waits for ever: the program itself exits with a code.
  process.exitCode = 13;
  void import('./run-process.js');
} else {
  const found = `${process.versions.node} (${process.execPath})`;
  process.stderr.write(`basedrive: Node.js ${oldest.join('.')} or later is needed, and this is ${found}\n`);
  process.exitCode = 2;
}
