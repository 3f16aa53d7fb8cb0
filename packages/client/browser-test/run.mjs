// `npm run test:browser`: compiles what it needs, then runs the tests in a browser. Chromium is looked for where Debian
// puts it (`apt-get install chromium`); BASEDRIVE_CHROMIUM names another.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const browser = process.env.BASEDRIVE_CHROMIUM ?? '/usr/bin/chromium';
if (!existsSync(browser)) {
  console.error(`There is no ${browser}: install Chromium, or name one in BASEDRIVE_CHROMIUM`);
  process.exit(1);
}

const run = (...words) => spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' }).status;
const failed =
  run('node_modules/typescript/bin/tsc', '-b', 'packages/client', 'packages/server') ||
  run('--test', '--test-timeout=120000', 'packages/client/dist/browser-test/browser.test.js');
process.exit(failed ?? 1);
