import { launch } from './launch.js';

/** The service that a suite speaks to: a URL and keys of two projects. */
export interface Target {
  readonly url: URL;
  readonly key: string;
  /** What stands before the key's first `_`. */
  readonly project: string;
  /** A key of another project. */
  readonly otherKey: string;
  close(): Promise<void>;
}

const ownKey = 'demo_s3cret';
const ownOtherKey = 'other_an0ther';

/**
 * The service at `BASEDRIVE_TEST_URL` with `BASEDRIVE_TEST_KEY` (and `BASEDRIVE_TEST_OTHER_KEY`, a key of another
 * project) where these are set; else a server of our own in memory, which `close` ends.
 */
export async function openTarget(): Promise<Target> {
  const { BASEDRIVE_TEST_URL: url, BASEDRIVE_TEST_KEY: key = ownKey } = process.env;
  if (url !== undefined && url !== '') {
    const otherKey = process.env.BASEDRIVE_TEST_OTHER_KEY ?? ownOtherKey;
    return { url: new URL(url), key, project: projectOf(key), otherKey, close: async () => {} };
  }
  return launchTarget();
}

/** A server of our own whatever the environment says: for what hangs on its options. */
export async function launchTarget(...options: string[]): Promise<Target & { readonly log: () => string }> {
  const keys = ['--key', ownKey, '--key', ownOtherKey];
  const server = await launch(['--memory', '--log-level', 'warn', ...keys, ...options]);
  return {
    url: server.url,
    key: ownKey,
    project: projectOf(ownKey),
    otherKey: ownOtherKey,
    log: server.log,
    async close() {
      await server.stop();
    },
  };
}

function projectOf(key: string): string {
  return key.slice(0, key.indexOf('_'));
}
