// `npm run release -- --to FOLDER linux-x64 linux-arm64`: writes an archive for each platform (this one if none is
// given) with the server, the packages that it needs, and Node, for machines that have no Node. The Node is the one that
// scripts/release-node.mjs pins; with a later one in the registry, the release is refused unless --allow-older-node is
// given.
// With --repository URL, the address of the page of this repository, it also writes the packages for npm, and prints the
// command that publishes them. --files URL is where the files of this version are, if not below URL/blob/vVERSION.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { installPackedServer } from './packed-server.mjs';
import { fetchNode, nodeProblem, nodeVersion, platforms as supported } from './release-node.mjs';
import { howToPublish, packPackages, places, readmeFor } from './release-packages.mjs';
import { root, setUp } from './setup.mjs';

const here = `${process.platform}-${process.arch}`;
/** Finds its folder through any link to it. */
const launcher = `#!/bin/sh
home=$(dirname "$(readlink -f "$0")")
export MALLOC_ARENA_MAX="\${MALLOC_ARENA_MAX:-2}"
exec "$home/bin/node" "$home/node_modules/basedrive/dist/src/main.js" "$@"
`;

const units = ['basedrive.service', 'basedrive-backup.service', 'basedrive-backup.timer'];

const { values, positionals } = given();
const platforms = positionals.length === 0 ? [here] : positionals;
for (const platform of platforms) {
  if (supported.includes(platform)) continue;
  console.error(`release: ${platform} must be one of ${supported.join(', ')}`);
  process.exit(2);
}
const { version } = JSON.parse(readFileSync(join(root, 'packages/server/package.json'), 'utf8'));
const where = values.repository === undefined ? undefined : wherePublished();
const problem = nodeProblem(Date.now());
if (problem !== undefined) {
  console.error(`release: ${problem}, and the archives would have ${nodeVersion} (scripts/release-node.mjs)`);
  if (!values['allow-older-node']) process.exit(1);
}

setUp();
mkdirSync(values.to, { recursive: true });
for (const platform of platforms) {
  const temporary = mkdtempSync(join(tmpdir(), 'basedrive-release-'));
  try {
    const name = `basedrive-${version}-${platform}`;
    build(join(temporary, name), platform);
    const archive = join(resolve(values.to), `${name}.tar.gz`);
    execFileSync('tar', ['-czf', archive, '--owner=0', '--group=0', '-C', temporary, name]);
    const sha256 = createHash('sha256').update(readFileSync(archive)).digest('hex');
    writeFileSync(`${archive}.sha256`, `${sha256}  ${name}.tar.gz\n`);
    console.log(`${archive} (Node.js ${nodeVersion})`);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}
if (where === undefined) {
  console.error('release: without --repository URL there are no packages for npm');
} else {
  const tarballs = packPackages(resolve(values.to), where);
  for (const tarball of tarballs) console.log(tarball);
  console.error(howToPublish(tarballs, process.env));
}

function wherePublished() {
  try {
    return places(values, version);
  } catch (cause) {
    console.error(`release: ${cause.message}`);
    process.exit(2);
  }
}

function build(folder, platform) {
  installPackedServer(folder);
  addNode(folder, platform);
  if (platform === here) keepCode(folder);
  writeFileSync(join(folder, 'basedrive'), launcher);
  chmodSync(join(folder, 'basedrive'), 0o755);
  copyFileSync(join(root, 'packages/server/LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'README.md'), readmeFor('packages/server', where));
  for (const unit of units) copyFileSync(join(root, 'packaging', unit), join(folder, unit));
}

function given() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        to: { type: 'string', default: join(root, 'release') },
        'allow-older-node': { type: 'boolean', default: false },
        repository: { type: 'string' },
        files: { type: 'string' },
      },
    });
  } catch (cause) {
    console.error(`release: ${cause.message}`);
    process.exit(2);
  }
}

/** Keeps what this Node compiles of the server, which halves its starts. The Node of another platform cannot run here. */
function keepCode(folder) {
  const bundled = join(folder, 'node_modules/basedrive/dist/src/bundled');
  execFileSync(join(folder, 'bin', 'node'), [join(root, 'packages/server/keep-code.cjs'), bundled]);
}

/** Adds Node, and its licence, which covers what is compiled into it. */
function addNode(folder, platform) {
  const temporary = mkdtempSync(join(tmpdir(), 'basedrive-node-'));
  fetchNode(platform, temporary);
  mkdirSync(join(folder, 'bin'));
  copyFileSync(join(temporary, 'bin', 'node'), join(folder, 'bin', 'node'));
  chmodSync(join(folder, 'bin', 'node'), 0o755);
  copyFileSync(join(temporary, 'LICENSE'), join(folder, 'LICENSE.node'));
  rmSync(temporary, { recursive: true });
}
