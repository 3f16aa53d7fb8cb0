// `npm start`: sets up what is missing, then is the service: the same process, so that signals, exit code and
// options (`npm start -- --port 9000`) are its own.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, setUp } from './setup.mjs';

setUp(['packages/server']);
await import(pathToFileURL(join(root, 'packages', 'server', 'dist', 'src', 'main.js')).href);
