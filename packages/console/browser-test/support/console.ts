import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { type ServerProcess, startServer } from 'basedrive-acceptance/server-process';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';

export const key = 'demo_s3cret';

/**
 * Chromium takes one list, so it begins with that of Playwright. The others are pages of the browser itself, for what is
 * typed into the address bar: each new window would load them, for half of the processor time of a new context.
 */
const disabledFeatures = [
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'WebUIOmniboxPopup',
];

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${disabledFeatures.join(',')}`,
  // Names of this machine that a browser does not trust as it trusts 127.0.0.1.
  '--host-resolver-rules=MAP *.test 127.0.0.1',
];

/** A page may write to the clipboard, as in the whole Chromium. */
const usual = { viewport: { width: 1280, height: 800 }, permissions: ['clipboard-write'] };

/**
 * A page of a test lives for a second, in which V8 spends more on optimising its code than that code then saves. Without
 * these compilers a screen takes 0.9 of the processor time.
 */
const forShortPages = ['--js-flags=--no-maglev,--no-turbofan'];

/** Starts the browser that BASEDRIVE_CHROMIUM names, or Debian's. */
export function launchBrowser(more: readonly string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.BASEDRIVE_CHROMIUM ?? '/usr/bin/chromium',
    args: [...flags, ...more],
    // A file whose time is over must end: closing the browser instead would keep it, and the run, for ever.
    handleSIGTERM: false,
  });
}

let shared: Promise<Browser> | undefined;
/** The number of test files of this process that are not over. */
let files = 0;

/** The browser of all test files of this process. */
function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser(forShortPages);
  return shared;
}

async function leaveBrowser(): Promise<void> {
  if (--files > 0) return;
  const last = shared;
  shared = undefined;
  await (await last)?.close();
}

/** A real server and a real browser for the tests of a file. */
export interface ConsoleUnderTest {
  readonly url: string;
  readonly server: ServerProcess;
  /** A page of a browser that nobody has used. What it must not do is checked after the test. */
  open(fragment?: string, options?: OpenOptions): Promise<Page>;
  /** Sends a request to the service with the key. The body is JSON text. */
  call(method: string, path: string, body?: string): Promise<Response>;
}

interface OpenOptions extends BrowserContextOptions {
  readonly isSignedIn?: boolean;
  /** Where the page is, if not at the server of the tests. */
  readonly address?: string;
  /** What is done to the page before it is loaded. */
  before?(page: Page): Promise<unknown>;
  /** As `before`; what the page then does against its policy is expected. */
  attack?(page: Page): Promise<void>;
}

interface UseOptions {
  /** More settings of the server. */
  readonly settings?: readonly string[];
  /** Runs once the server has started, before the tests. */
  prepare?(console: ConsoleUnderTest): Promise<void>;
}

/** Call it at the top of a test file. */
export function useConsole({ settings = [], prepare }: UseOptions = {}): ConsoleUnderTest {
  let server: ServerProcess | undefined;
  let browser: Browser | undefined;
  let contexts: BrowserContext[] = [];
  /** What a page did that no page may do. */
  let faults: string[] = [];

  files++;
  before(async () => {
    server = await startServer(['--memory', '--key', key, '--log-level', 'error', ...settings]);
    browser = await sharedBrowser();
    await prepare?.(console);
  });
  afterEach(async () => {
    const seen = faults;
    faults = [];
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    assert.deepEqual(seen, []);
  });
  after(async () => {
    await leaveBrowser();
    await server?.stop();
  });

  function running(): ServerProcess {
    if (server === undefined) throw new Error('the server starts only when the tests run');
    return server;
  }
  const origin = () => running().url.origin;

  const console: ConsoleUnderTest = {
    get url() {
      return `${origin()}/`;
    },
    get server() {
      return running();
    },
    async open(
      fragment = '',
      { isSignedIn = true, address = `${origin()}/`, before: preparePage, attack, ...options } = {},
    ) {
      if (browser === undefined) throw new Error('the browser starts only when the tests run');
      const context = await browser.newContext({ ...usual, ...options });
      contexts.push(context);
      const page = await context.newPage();
      watch(page, new URL(address).origin, attack === undefined ? faults : []);
      await preparePage?.(page);
      await attack?.(page);
      if (isSignedIn) {
        await page.addInitScript((value) => {
          if (sessionStorage.getItem('basedrive-key') === null)
            sessionStorage.setItem('basedrive-key', value);
        }, key);
      }
      await page.goto(address + fragment);
      return page;
    },
    call: (method, path, body) =>
      fetch(`${origin()}/v1/demo${path}`, {
        method,
        headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body }),
      }),
  };
  return console;
}

/** Notes breaches of the page's policy, uncaught errors, and requests to another origin. */
function watch(page: Page, origin: string, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted ?Type/i.test(message.text())) faults.push(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(`${origin}/`) && !url.startsWith('blob:')) faults.push(`requested ${url}`);
  });
  page.on('dialog', (dialog) => {
    faults.push(`a dialog of the browser: ${dialog.message()}`);
    void dialog.dismiss();
  });
}
