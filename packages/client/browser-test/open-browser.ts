import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A Chromium with a profile of its own. */
export interface Browser {
  readonly context: BrowserContext;
  /** Ends it and removes its profile. */
  close(): Promise<void>;
}

export async function openBrowser(): Promise<Browser> {
  const profile = await mkdtemp(join(tmpdir(), 'basedrive-browser-'));
  const executablePath = process.env.BASEDRIVE_CHROMIUM ?? '/usr/bin/chromium';
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: flags,
    // A file whose time is over must end: closing the browser instead would keep it, and the run, for ever.
    handleSIGTERM: false,
  });
  return {
    context,
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}
