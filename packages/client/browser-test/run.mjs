// `npm run test:browser`: compiles the packages and runs the tests in a browser. It uses the Chromium of Debian
// (`apt-get install chromium`), or the one that BASEDRIVE_CHROMIUM names.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const browser = process.env.BASEDRIVE_CHROMIUM ?? '/usr/bin/chromium';
if (!existsSync(browser)) {
  console.error(`${browser} is missing: install Chromium, or set BASEDRIVE_CHROMIUM to its path`);
  process.exit(1);
}

const tests = ['browser', 'hostile-files', 'sharing'].map(
  (name) => `packages/client/dist/browser-test/${name}.test.js`,
);
const run = (...words) => spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' }).status;
const failed =
  run('node_modules/typescript/bin/tsc', '-b', 'packages/client', 'packages/server') ||
  run('--test', '--test-timeout=120000', ...tests);
process.exit(failed ?? 1);
