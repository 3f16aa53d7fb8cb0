import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { promisify } from 'node:util';
import { launchStoredTarget } from '../../src/target.js';
import { type Credentials, newBucket, openS3 } from '../support/s3.js';

/** A service with its data on disk, and a folder of the test's own, which is the home of the programs. */
export interface ProgramService {
  readonly endpoint: string;
  readonly host: string;
  readonly folder: string;
  readonly credentials: Credentials;
  /** Runs a program to its end, and gives what it printed. */
  run(command: string, ...words: readonly string[]): Promise<string>;
  /** The same, with variables. */
  runWith(variables: NodeJS.ProcessEnv, command: string, ...words: readonly string[]): Promise<string>;
}

const timeout = 120_000;

export function usePrograms(): ProgramService {
  const service = {} as { -readonly [Name in keyof ProgramService]: ProgramService[Name] };
  let close = async () => {};
  before(async () => {
    const target = await launchStoredTarget();
    const s3 = await openS3(target);
    const folder = await mkdtemp(join(tmpdir(), 'basedrive-s3-client-'));
    const runWith = async (variables: NodeJS.ProcessEnv, command: string, ...words: readonly string[]) => {
      const env = {
        PATH: `/usr/bin:${process.env.PATH}`,
        HOME: folder,
        AWS_ACCESS_KEY_ID: s3.credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: s3.credentials.secretAccessKey,
        AWS_DEFAULT_REGION: 'us-east-1',
        ...variables,
      };
      const { stdout } = await promisify(execFile)(command, words, { cwd: folder, env, timeout });
      return stdout;
    };
    Object.assign(service, {
      endpoint: target.url.origin,
      host: target.url.host,
      folder,
      credentials: s3.credentials,
      run: (command: string, ...words: readonly string[]) => runWith({}, command, ...words),
      runWith,
    });
    close = async () => {
      s3.client.destroy();
      s3.api.close();
      await target.close();
      await rm(folder, { recursive: true });
    };
  });
  after(() => close());
  return service;
}

export { newBucket };

/** Files of the sizes and names that people have. */
export async function fillFolder(folder: string): Promise<void> {
  const files: readonly (readonly [name: string, bytes: number])[] = [
    ['empty', 0],
    ['small.txt', 12],
    ['with space & ümlaut+plus.txt', 20_000],
    ['deep/er/est/file', 300_000],
    ['deep/a (1).bin', 1],
    ['large.bin', 20_000_000],
  ];
  for (const [name, bytes] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), randomBytes(bytes));
  }
}

/** Fails unless two folders have the same files. */
export async function sameFolders(a: string, b: string): Promise<void> {
  const filesOf = async (folder: string) => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files.map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length)).sort();
  };
  assert.deepEqual(await filesOf(b), await filesOf(a));
  for (const file of await filesOf(a)) {
    assert.ok((await readFile(join(a, file))).equals(await readFile(join(b, file))), file);
  }
}
