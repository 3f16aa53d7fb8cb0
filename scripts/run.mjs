// `node scripts/run.mjs FILE [options]`: installs and compiles what is missing, then runs a compiled program of this
// repository with the options.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, setUp } from './setup.mjs';
import { removeStaleOutput } from './test-files.mjs';

const [file] = process.argv.splice(2, 1);
setUp();
removeStaleOutput();
await import(pathToFileURL(join(root, file)).href);
