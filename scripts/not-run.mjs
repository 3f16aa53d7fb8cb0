// The suites that `npm test` does not run because they need more than Node and npm, and how to run them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmdirSync } from 'node:fs';

const runs = (command, ...options) => spawnSync(command, options, { stdio: 'ignore' }).status === 0;

const suites = [
  { name: 'HTTP on every line of Node', how: 'npm run test:nodes, which fetches them' },
  { name: 'the client library in a browser', how: 'npm run test:browser, with Chromium installed' },
  { name: 'the console in a browser', how: 'npm run test:console, with Chromium installed' },
  {
    name: 'the item store in PostgreSQL, and its backup',
    how: 'npm run test:postgres, with PostgreSQL, PgBouncer and rsync',
  },
  { name: 'PostgreSQL behind a PgBouncer', how: 'npm run test:pooled, with PostgreSQL and PgBouncer' },
  { name: 'the blob store in S3', how: 'npm run test:s3, with Ceph installed (acceptance/rgw)' },
  {
    name: 'the S3 clients aws, rclone, restic, s3cmd and s3fs',
    how: 'npm run test:s3-clients, with these installed',
  },
  {
    name: 'moving data between LevelDB, a folder, PostgreSQL and S3',
    how: 'npm run test:moving, with PostgreSQL, Ceph and rclone installed',
  },
  {
    name: 'the black-box suite over several servers',
    how: 'npm run test:scaled, with PostgreSQL and Ceph installed',
  },
  {
    name: 'the black-box suite through proxies',
    how: 'npm run test:proxied, with nginx and Caddy installed',
  },
  {
    name: 'kills of servers, PostgreSQL and S3',
    how: 'npm run test:kills, with PostgreSQL and Ceph installed',
  },
  {
    name: 'the power cut',
    isNotRun: () => !runs('strace', '-V'),
    how: 'install strace, then npm test -- power-cut',
  },
  {
    name: 'the systemd unit, and completion in zsh and fish',
    isNotRun: () => !['systemd-analyze', 'zsh', 'fish'].every((program) => runs(program, '--version')),
    how: 'npm test -- systemd completion, with systemd, zsh and fish installed',
  },
  {
    name: 'the check of metrics, alert rules and the dashboard by promtool, and a scrape by Prometheus',
    isNotRun: () => !['promtool', 'prometheus'].every((program) => runs(program, '--version')),
    how: 'install Prometheus, then npm test -- prometheus operator-path',
  },
  {
    name: 'the recipe for pytest',
    isNotRun: () => !runs('python3', '-m', 'pytest', '--version'),
    how: 'install pytest, then npm test -- recipes',
  },
  {
    name: 'a container of 256 MiB',
    isNotRun: () => !canMakeControlGroup(),
    how: 'npm test -- small-container doctor-verdicts, as root where control groups of memory can be made',
  },
  {
    name: 'a disk that fails',
    isNotRun: () => !runs('unshare', '-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'),
    how: 'npm test -- disk-faults, where file systems can be mounted (root, or user namespaces)',
  },
];

function canMakeControlGroup() {
  return ['/sys/fs/cgroup/memory', '/sys/fs/cgroup'].some((root) => {
    const folder = `${root}/basedrive-not-run-${process.pid}`;
    try {
      mkdirSync(folder);
    } catch {
      return false;
    }
    const isLimited = ['memory.limit_in_bytes', 'memory.max'].some((file) => existsSync(`${folder}/${file}`));
    rmdirSync(folder);
    return isLimited;
  });
}

/** One line for each of these suites, for the end of a test run. */
export function notRun() {
  return suites
    .filter(({ isNotRun = () => true }) => isNotRun())
    .map(({ name, how }) => `Not run: ${name} (${how})`);
}
