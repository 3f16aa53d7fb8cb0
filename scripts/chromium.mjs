// Finds the Chromium of the browser tests.
import { existsSync } from 'node:fs';

/** Debian's packages `chromium-headless-shell`, the same engine with 0.6 of the processor time a page, and `chromium`. */
const programs = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** Names the browser to the tests in BASEDRIVE_CHROMIUM, unless it is set. Ends the process if there is none. */
export function chooseChromium() {
  const { BASEDRIVE_CHROMIUM: named = programs.find((program) => existsSync(program)) } = process.env;
  if (named === undefined || !existsSync(named)) {
    const problem = named === undefined ? 'No Chromium was found' : `${named} is missing`;
    console.error(
      `${problem}: install chromium-headless-shell, or set BASEDRIVE_CHROMIUM to a browser's path`,
    );
    process.exit(1);
  }
  process.env.BASEDRIVE_CHROMIUM = named;
}
