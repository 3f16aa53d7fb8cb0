// What `npm test` does not run, because it needs more than Node and npm, and how to run it.
import { spawnSync } from 'node:child_process';

const runs = (command, ...options) => spawnSync(command, options, { stdio: 'ignore' }).status === 0;

const suites = [
  { name: 'the client library in a browser', how: 'npm run test:browser, with Chromium installed' },
  { name: 'rows in PostgreSQL', how: 'npm run test:postgres, with PostgreSQL installed' },
  { name: 'bytes in an S3 store', how: 'npm run test:s3, with Ceph installed (acceptance/rgw)' },
  {
    name: 'moving between the two and a folder',
    how: 'npm run test:moving, with PostgreSQL and Ceph installed',
  },
  {
    name: 'the black-box suite over several servers',
    how: 'npm run test:scaled, with PostgreSQL and Ceph installed',
  },
  {
    name: 'kills of servers, PostgreSQL and S3',
    how: 'npm run test:kills, with PostgreSQL and Ceph installed',
  },
  {
    name: 'the power cut',
    isLeftOut: () => !runs('strace', '-V'),
    how: 'install strace, then npm test -- power-cut',
  },
  {
    name: 'a disk that fails',
    isLeftOut: () => !runs('unshare', '-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'),
    how: 'npm test -- disk-faults, where file systems can be mounted (root, or user namespaces)',
  },
];

/** Lines for the end of a test run. */
export function leftOut() {
  return suites
    .filter(({ isLeftOut = () => true }) => isLeftOut())
    .map(({ name, how }) => `Left out: ${name} (${how})`);
}
