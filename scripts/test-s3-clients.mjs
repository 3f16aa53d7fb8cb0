// `npm run test:s3-clients`: the S3 clients of Debian (aws, rclone, restic, s3cmd, s3fs), each unmodified, and the
// service's own S3 engine, over a Basedrive as their S3 store. It fails if a client is not installed.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTests } from './run-tests.mjs';
import { setUp } from './setup.mjs';
import { removeStaleOutput, serviceTestFiles } from './test-files.mjs';

const options = ['--test-concurrency=1'];
const ofEngine = ['opening', 'servers', 'store'].map((name) => `${name}.test.js`);

setUp();
removeStaleOutput();
let status = await runTests({ options, files: serviceTestFiles(['s3-clients']), environment: process.env });
status ||= await testEngine();
process.exit(status);

/** Runs the suite of the S3 engine, whose store is a Basedrive. Gives the exit code. */
async function testEngine() {
  const { dataFlags, startServer } = await import('../acceptance/dist/src/server-process.js');
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-as-s3-'));
  const server = await startServer(dataFlags(folder, 'demo_s3cret'));
  try {
    const headers = { 'X-API-Key': 'demo_s3cret', 'Content-Type': 'application/json' };
    const url = `${server.url.origin}/v1/demo/keys`;
    const made = await fetch(url, { method: 'POST', headers, body: '{"s3":true}' });
    const { access_key_id, secret_access_key } = await made.json();
    const environment = {
      ...process.env,
      BASEDRIVE_TEST_S3_ENDPOINT: server.url.origin,
      BASEDRIVE_TEST_S3_ACCESS_KEY: access_key_id,
      BASEDRIVE_TEST_S3_SECRET_KEY: secret_access_key,
    };
    const files = serviceTestFiles(['s3']).filter((file) => ofEngine.some((name) => file.endsWith(name)));
    return await runTests({ options, files, environment });
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}
