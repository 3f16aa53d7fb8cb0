// `npm run test:console`: builds everything and tests the console in a browser. It uses the Chromium of Debian
// (`apt-get install chromium-headless-shell`), or the one that BASEDRIVE_CHROMIUM names. Words choose test files, as for
// `npm test`. With `--screenshots` the pictures in docs/images are taken anew.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chooseChromium } from '../../../scripts/chromium.mjs';
import { runTests } from '../../../scripts/run-tests.mjs';
import { root, setUp } from '../../../scripts/setup.mjs';

chooseChromium('shell', 'whole');
const given = process.argv.slice(2);
const words = given.filter((word) => word !== '--screenshots');
if (words.length < given.length) process.env.BASEDRIVE_SCREENSHOTS = join(root, 'docs', 'images');

setUp();
const folder = join(root, 'packages', 'console', 'dist', 'browser-test');
const files = readdirSync(folder)
  .filter((file) => file.endsWith('.test.js'))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .map((file) => join(folder, file));
// Files that share a process share a browser. Neighbours, of which some take long, are in different groups.
const maxFiles = 4;
const groups = Math.ceil(files.length / maxFiles);
const groupOf = (file) => files.indexOf(file) % groups;
const spread = files.toSorted((a, b) => groupOf(a) - groupOf(b));
process.exit(await runTests({ options: ['--test-concurrency=2'], files: spread, inGroups: true, maxFiles }));
