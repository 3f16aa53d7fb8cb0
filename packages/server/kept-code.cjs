// Runs the files of the bundle with the code that V8 compiled when they were made (keep-code.cjs): to compile it takes a
// quarter of a start. Another version of Node, or one with other flags, compiles as ever. Nothing is written here.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

/** The scripts that ran, by their paths: keep-code.cjs takes their code. */
const scripts = new Map();

/** Runs the file of this name, next to this one, as the module. */
function run(module, require, name) {
  const filename = join(__dirname, name);
  // The bundle is ASCII: so V8 keeps a byte for each character.
  const text = readFileSync(filename, 'latin1');
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
    // The code that was kept has this name in it, wherever it is installed.
    filename: name,
    cachedData: keptCode(filename),
  });
  scripts.set(filename, script);
  script.runInThisContext()(module.exports, require, module, filename, __dirname);
}

/**
 * Where the code of a file is kept, for this version of Node alone. V8 compares its own version, but Node changes V8 without
 * another one: Node 20.19.0 took the code of 20.20.2, and calculated wrong results with it.
 */
function keptAt(filename) {
  return `${filename}.${process.version}-${process.arch}.v8`;
}

function keptCode(filename) {
  try {
    return readFileSync(keptAt(filename));
  } catch {
    return undefined;
  }
}

module.exports = { run, scripts, keptAt };
