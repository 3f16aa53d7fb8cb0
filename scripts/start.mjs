// `npm start`: installs, compiles and bundles what is missing, then runs the service in the same process, so that it gets the
// signals and options (`npm start -- --port 9000`) and sets the exit code.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, setUpServer } from './setup.mjs';

const server = join(root, 'packages', 'server');
// The console is built from the compiled client library.
setUpServer(['packages/server', 'packages/client']);
const { bundleServer } = await import(pathToFileURL(join(server, 'bundle.mjs')).href);
await bundleServer();
await import(pathToFileURL(join(server, 'dist', 'src', 'bundled', 'run-process.js')).href);
