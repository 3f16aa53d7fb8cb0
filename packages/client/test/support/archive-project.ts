import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { addressOfUrl, endpointOf, type ProjectAddress } from '../../src/archive/api/address.js';
import { openBase } from '../../src/base/open-base.js';
import { openDrive } from '../../src/drive/open-drive.js';
import type { Base, Drive } from '../../src/index.js';
import { launch } from './service.js';

/** A service with as many empty projects as a test needs. */
export interface ProjectService {
  /** The address and the key of a project that no other call gives. */
  newProject(): { readonly url: string; readonly key: string };
  /** Lets `work` reach a new project. */
  inNewProject<T>(work: (address: ProjectAddress) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const maxProjects = 600;

/** Starts the service in its own process, with its store in memory or in a folder that is removed at the end. */
export async function openProjectService(kind: 'memory' | 'disk' = 'memory'): Promise<ProjectService> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-projects-'));
  const keys = Array.from({ length: maxProjects }, (_, n) => `p${n}_s3cret`);
  await writeFile(join(folder, 'keys'), keys.join('\n'), { mode: 0o600 });
  const store = kind === 'disk' ? ['--data', join(folder, 'data')] : [];
  const { url, stop } = await launch(['--key-file', join(folder, 'keys'), ...store]);
  let used = 0;
  const newProject = () => {
    const key = keys[used++];
    assert.ok(key !== undefined);
    return { url, key };
  };
  return {
    newProject,
    async inNewProject(work) {
      const { key } = newProject();
      const address = addressOfUrl(new URL(url), key.replace('_s3cret', ''), key);
      try {
        return await work(address);
      } finally {
        address.close();
      }
    },
    async close() {
      await stop();
      await rm(folder, { recursive: true });
    },
  };
}

/** A base of the project, whatever its name. */
export function baseOf(address: ProjectAddress, name: string): Base {
  return openBase(endpointOf(address, name));
}

/** A drive of the project, whatever its name. */
export function driveOf(address: ProjectAddress, name: string): Drive {
  return openDrive(endpointOf(address, name));
}

/** The address, whose requests go through `wrap`: it gets the path of each, and what sends it. */
export function through(
  address: ProjectAddress,
  wrap: (path: string, send: () => Promise<Response>) => Promise<Response>,
): ProjectAddress {
  const { endpoint } = address;
  const send = endpoint.options.fetch as typeof fetch;
  const wrapped: typeof fetch = (path, init) => wrap(String(path), () => send(path, init));
  return { ...address, endpoint: { ...endpoint, options: { ...endpoint.options, fetch: wrapped } } };
}

/** The failure of a connection that is cut, as a `fetch` tells it. */
export function connectionCut(): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('cut'), { code: 'ECONNRESET' }) });
}

/** A new folder, which is removed after the test. */
export async function temporaryFolder(test: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-archive-'));
  test.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** All files of a folder: their bytes as hexadecimal text, by path. */
export async function filesIn(folder: string): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(path.slice(folder.length + 1), (await readFile(path)).toString('hex'));
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Throws unless both folders hold the same files with the same bytes. */
export async function assertSameFiles(actual: string, expected: string): Promise<void> {
  assert.deepEqual(await filesIn(actual), await filesIn(expected));
}
