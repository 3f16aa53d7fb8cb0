import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataFlags, type ServerProcess, startServer } from './server-process.js';

/** The service under test: its URL, and the keys of two projects. */
export interface Target {
  readonly url: URL;
  readonly key: string;
  /** The part of the key before its first `_` (docs/http.md#keys). */
  readonly project: string;
  /** A key of another project. */
  readonly otherKey: string;
  /** The authority of its certificate, if only it knows that. */
  readonly authority?: Buffer;
  close(): Promise<void>;
}

/** The keys of the servers that a suite starts. */
export const ownKey = 'demo_s3cret';
export const ownOtherKey = 'other_an0ther';

/**
 * The service at `BASEDRIVE_TEST_URL` with `BASEDRIVE_TEST_KEY` (and `BASEDRIVE_TEST_OTHER_KEY`, a key of another
 * project), if these are set. Otherwise a server with its data in memory: the one at `BASEDRIVE_TEST_SHARED_URL`, which
 * serves many test files, or a new one, which `close` stops.
 */
export async function openTarget(): Promise<Target> {
  return givenTarget() ?? sharedTarget() ?? (await launchTarget());
}

/** The same with data on disk, for tests that depend on the duration of a commit. */
export async function openStoredTarget(): Promise<Target> {
  return givenTarget() ?? (await launchStoredTarget());
}

/** A new server with data on disk, whatever the environment says. */
export async function launchStoredTarget(...options: string[]): Promise<Target & { readonly pid: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-target-'));
  const server = await startServer([...dataFlags(folder, ownKey), ...options]);
  return {
    ...(await ownTarget(server, options)),
    pid: server.pid,
    async close() {
      const code = await server.stop();
      await rm(folder, { recursive: true });
      if (code !== 0) throw new Error(`The server exited with ${code}`);
    },
  };
}

/** The service that the environment variables name, or undefined. */
export function givenTarget(): Target | undefined {
  const {
    BASEDRIVE_TEST_URL: url,
    BASEDRIVE_TEST_KEY: key,
    BASEDRIVE_TEST_OTHER_KEY: otherKey,
  } = process.env;
  return url === undefined || url === '' ? undefined : targetAt(url, key, otherKey);
}

function sharedTarget(): Target | undefined {
  const url = process.env.BASEDRIVE_TEST_SHARED_URL;
  return url === undefined ? undefined : targetAt(url);
}

function targetAt(url: string, key = ownKey, otherKey = ownOtherKey): Target {
  return { url: new URL(url), key, project: projectOf(key), otherKey, close: async () => {} };
}

/** The options of a server in memory that accepts the keys of the suite. */
export const inMemory = ['--memory', '--log-level', 'warn', '--key', ownKey, '--key', ownOtherKey] as const;

/** A new server whatever the environment says, for tests that depend on its options. */
export async function launchTarget(...options: string[]): Promise<Target & { readonly log: () => string }> {
  const server = await startServer([...inMemory, ...options]);
  return {
    ...(await ownTarget(server, options)),
    log: server.log,
    async close() {
      await server.stop();
    },
  };
}

async function ownTarget(server: ServerProcess, options: readonly string[]): Promise<Omit<Target, 'close'>> {
  return {
    url: server.url,
    key: ownKey,
    project: projectOf(ownKey),
    otherKey: ownOtherKey,
    ...(options.includes('--https') && { authority: await announcedAuthority(server.announced()) }),
  };
}

/** The file is named to the operator, as a variable for clients. */
async function announcedAuthority(announced: string): Promise<Buffer> {
  const [, path = ''] = /NODE_EXTRA_CA_CERTS=(\S+)/.exec(announced) ?? [];
  return await readFile(path);
}

function projectOf(key: string): string {
  return key.slice(0, key.indexOf('_'));
}
