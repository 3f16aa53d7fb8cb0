// What `npm test` does not run, because it needs more than Node and npm, and how to run it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

const suites = [
  {
    name: 'the client library in a browser',
    folder: 'packages/client/browser-test',
    run: 'npm run test:browser',
  },
];

/** Lines for the end of a test run. */
export function leftOut() {
  const here = suites.filter((suite) => existsSync(join(root, suite.folder)));
  return here.map((suite) => `Left out: ${suite.name} (run it with: ${suite.run})`);
}
