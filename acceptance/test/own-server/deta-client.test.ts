import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { scenarios } from '../../src/deta/scenarios.js';
import { type ServerProcess, startServer } from '../../src/server-process.js';

const main = fileURLToPath(new URL('../../src/deta/main.js', import.meta.url));

/** npm `deta` 2.0.0 as it was published, in a process that has the variables which the server prints. */
describe('an application with the unmodified npm package deta 2.0.0 over HTTPS', () => {
  let folder: string;
  let server: ServerProcess;
  let outcomes: Record<string, string>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'basedrive-deta-'));
    const key = 'demo_s3cret';
    server = await startServer(['--https', '--data', folder, '--key', key, '--log-level', 'warn']);
    const printed = Object.fromEntries(
      Array.from(server.announced().matchAll(/(\w+)=(\S+)/g), ([, name, value]) => [name, value]),
    );
    assert.deepEqual(Object.keys(printed), [
      'NODE_EXTRA_CA_CERTS',
      'SSL_CERT_FILE',
      'DETA_BASE_HOST',
      'DETA_DRIVE_HOST',
    ]);
    const { stdout } = await promisify(execFile)(process.execPath, [main], {
      env: { PATH: process.env.PATH, DETA_PROJECT_KEY: key, ...printed },
    });
    outcomes = JSON.parse(stdout);
  });
  after(async () => {
    await server?.stop();
    await rm(folder, { recursive: true });
  });

  for (const name of Object.keys(scenarios)) {
    test(`${name}: the service answers as the original did`, () => {
      assert.equal(outcomes[name], 'done');
    });
  }
});
