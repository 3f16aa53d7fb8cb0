import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isolatedKeys } from '../isolated-projects.js';
import { runTestFiles } from '../run-test-files.js';
import { startServer } from '../server-process.js';
import { ownKey, ownOtherKey } from '../target.js';
import { makeCertificate, type StartProxy, startCaddy, startNginx } from './proxies.js';

/**
 * `npm run test:proxied` runs black-box tests through nginx and Caddy, with the configurations in `packaging/`, and others
 * over the fronts of `--workers`. The tests of what a proxy does itself (malformed requests, connections, NUL in a path) are not among them,
 * nor those that send the same kinds of paths, methods and bodies as one that is: a proxy does not read JSON.
 */
const suite = [
  'items',
  'update',
  'query',
  'conditions',
  'transactions',
  'list-files',
  'file-details',
  'file-conditions',
  'file-expiry',
  'move-copy',
  'open-uploads',
  'ranges',
  'changes',
  'tickets',
];
/** What depends on connections: over fronts, each test file starts servers of its own, with and without TLS. */
const ofConnections = ['connection', 'cut-requests', 'refusals', 'races', 'changes', 'uploads', 'ranges'];
const tests = fileURLToPath(new URL('../../test/', import.meta.url));
const proxies: readonly (readonly [string, StartProxy])[] = [
  ['nginx', startNginx],
  ['Caddy', startCaddy],
];

async function runThrough(name: string, start: StartProxy): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-proxied-'));
  const keys = [ownKey, ownOtherKey, ...isolatedKeys].flatMap((key) => ['--key', key]);
  const server = await startServer(['--memory', '--log-level', 'error', ...keys]);
  try {
    const certificate = await makeCertificate(folder);
    const proxy = await start({ folder, serverPort: server.port, certificate });
    try {
      process.stdout.write(`\n── through ${name}\n`);
      const files = suite.map((file) => join(tests, `${file}.test.js`));
      const passed = await runTestFiles(files, proxy.url, {
        NODE_EXTRA_CA_CERTS: certificate.cert,
        // nginx closes a connection after a refusal that came before the body, and a request that follows is lost.
        BASEDRIVE_TEST_CONNECTION_EACH: '1',
      });
      const complaints = await proxy.complaints();
      for (const line of complaints) process.stdout.write(`${line}\n`);
      return passed && complaints.length === 0;
    } finally {
      await proxy.stop();
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

/** Runs them with `--workers 2`, which a variable gives to all servers. */
async function runOverFronts(): Promise<boolean> {
  process.stdout.write('\n── over fronts\n');
  const files = ofConnections.map((file) => join(tests, `${file}.test.js`));
  return await runTestFiles(files, undefined, { BASEDRIVE_WORKERS: '2' });
}

const runs: readonly (readonly [string, () => Promise<boolean>])[] = [
  ...proxies.map(([name, start]) => [`through ${name}`, () => runThrough(name, start)] as const),
  ['over fronts', runOverFronts],
];
const outcomes: [string, boolean, number][] = [];
for (const [name, run] of runs) {
  const beganMs = performance.now();
  outcomes.push([name, await run(), Math.round((performance.now() - beganMs) / 1000)]);
}
for (const [name, passed, seconds] of outcomes) {
  process.stdout.write(`${passed ? 'passed' : 'FAILED'}  ${name}, ${seconds} s\n`);
}
process.exitCode = outcomes.every(([, passed]) => passed) ? 0 : 1;
