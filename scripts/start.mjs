// `npm start`: installs and compiles what is missing, then runs the service in the same process, so that it gets the
// signals and options (`npm start -- --port 9000`) and sets the exit code.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, setUp } from './setup.mjs';

setUp(['packages/server']);
await import(pathToFileURL(join(root, 'packages', 'server', 'dist', 'src', 'main.js')).href);
