import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../../../server/dist/src/main.js', import.meta.url));

export const key = 'demo_s3cret';

/** The service in memory, on a free port. */
export interface Service {
  readonly url: string;
}

/**
 * The service in a process that serves many test files, at `BASEDRIVE_TEST_SHARED_URL`, or else in one of its own. To be
 * called at the top of a file or a `describe`. `url` can be read once the tests run.
 */
export function useService(): Service {
  const url = process.env.BASEDRIVE_TEST_SHARED_URL;
  return url === undefined ? ownService() : { url: url.replace(/\/$/, '') };
}

/** The same in a process of its own, with these options. It stops after the last test. */
export function ownService(...options: string[]): Service {
  let url: string | undefined;
  let stop = async () => {};
  before(async () => {
    ({ url, stop } = await launch(options));
  });
  after(() => stop());
  return {
    get url() {
      if (url === undefined) throw new Error('url: the service starts only when the tests run');
      return url;
    },
  };
}

/** Starts the service; without `--data` among the options, in memory. */
export async function launch(
  options: readonly string[] = [],
): Promise<{ url: string; stop: () => Promise<void>; kill: () => Promise<void> }> {
  const store = options.includes('--data') ? [] : ['--memory'];
  const settings = [...store, '--port', '0', '--log-level', 'warn', '--key', key, ...options];
  const child = spawn(process.execPath, [main, ...settings], { stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = once(child, 'close');
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = /listens on (https?:\/\/\S+)\n/.exec(said);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The service ended with ${code}: ${said}`)));
  });
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await gone;
  };
  return { url, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}

/** A name that no other test uses. */
export function freshName(): string {
  return `test-${randomBytes(6).toString('hex')}`;
}
