// Finds the Chromium of the browser tests.
import { existsSync } from 'node:fs';

/** Debian's packages. The shell is the same engine with 0.6 of the processor time a page, and shows no PDF. */
const programs = { shell: '/usr/bin/chromium-headless-shell', whole: '/usr/bin/chromium' };

/** Names the browser to the tests in BASEDRIVE_CHROMIUM, unless it is set: the first of these. Ends the process if there is none. */
export function chooseChromium(...kinds) {
  const paths = kinds.map((kind) => programs[kind]);
  const { BASEDRIVE_CHROMIUM: named = paths.find((path) => existsSync(path)) } = process.env;
  if (named === undefined || !existsSync(named)) {
    const missing = named ?? paths.join(' and ');
    console.error(`${missing}: not found. Install it, or set BASEDRIVE_CHROMIUM to the path of a Chromium`);
    process.exit(1);
  }
  process.env.BASEDRIVE_CHROMIUM = named;
}
