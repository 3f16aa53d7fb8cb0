import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { announcedUrl } from './announced-url.js';
import { loadedByStart } from './loaded-by-start.js';
import { installPackedServer, root } from './packed-server.js';

const key = 'demo_packagedsecret';

describe('the package as it is published', () => {
  let folder: string;
  let files: readonly string[];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'basedrive-installed-'));
    files = installPackedServer(folder);
  });
  after(() => rm(folder, { recursive: true, maxRetries: 10 }));

  const environment = () => ({ PATH: process.env.PATH, HOME: folder });

  test('it has the program, its types, the README and the licence, and no test, source map, TypeScript or compiled code', () => {
    for (const file of [
      'package.json',
      'README.md',
      'LICENSE',
      'dist/src/main.js',
      'dist/src/bundled/licenses.txt',
    ]) {
      assert.ok(files.includes(file), file);
    }
    const unwanted = files.filter((file) =>
      /\.map$|\.tsbuildinfo$|\.v8$|(?<!\.d)\.tsx?$|(^|\/)test\//.test(file),
    );
    assert.deepEqual(unwanted, []);
  });

  /** Reads the item as an agent does, with the tools of the installed package. */
  async function readThroughMcp(url: string) {
    const client = new Client({ name: 'test', version: '1' });
    const transport = new StdioClientTransport({
      command: 'npx',
      args: ['--no-install', 'basedrive', 'mcp', '--url', url],
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, BASEDRIVE_KEY: key },
      stderr: 'ignore',
    });
    try {
      await client.connect(transport);
      const asked = { name: 'get_item', arguments: { base: 'users', key: 'ada' } };
      return (await client.callTool(asked)).content;
    } finally {
      await client.close();
    }
  }

  test('it declares what the client library needs that it has as a part, in the same versions', async () => {
    const dependenciesOf = async (name: string) => {
      const text = await readFile(join(root, 'packages', name, 'package.json'), 'utf8');
      return (JSON.parse(text) as { dependencies: Record<string, string> }).dependencies;
    };
    const server = await dependenciesOf('server');
    const needed = await dependenciesOf('client');
    assert.ok(Object.keys(needed).length > 0);
    for (const [name, version] of Object.entries(needed)) assert.equal(server[name], version, name);
  });

  test('`npx basedrive` runs it', async () => {
    const { stdout } = await promisify(execFile)('npx', ['--no-install', 'basedrive', '--version'], {
      cwd: folder,
      env: environment(),
    });
    const { version } = JSON.parse(
      await readFile(join(folder, 'node_modules/basedrive/package.json'), 'utf8'),
    ) as { version: string };
    assert.equal(stdout.trim(), version);
  });

  test('it starts from a few files', async () => {
    const { files } = await loadedByStart(
      [join(folder, 'node_modules/.bin/basedrive')],
      folder,
      environment(),
    );
    assert.ok(
      files.some((path) => path.endsWith('/bundled/server.js')),
      files.join('\n'),
    );
    // Of commands and packages, it loads nothing that it does not need.
    assert.ok(files.length < 20, files.join('\n'));
    assert.deepEqual(
      files.filter((path) => /commands|zod|modelcontextprotocol/.test(path)),
      [],
    );
  });

  test('it serves with nothing but the packages that it declares, and stores in ./data', async () => {
    // On a terminal the log is pretty, which takes a package of its own.
    const words = ['--port', '0', '--key', key, '--log-format', 'pretty'];
    const child = spawn(join(folder, 'node_modules/.bin/basedrive'), words, {
      cwd: folder,
      env: environment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(child, 'exit');
    try {
      const url = await announcedUrl(child.stderr);
      const headers = { 'X-Api-Key': key, 'Content-Type': 'application/json' };
      const items = `${url}/v1/demo/users/items`;
      const put = await fetch(items, {
        method: 'PUT',
        headers,
        body: JSON.stringify({ items: [{ key: 'ada' }] }),
      });
      assert.equal(put.status, 207);
      const got = await fetch(`${items}/ada`, { headers });
      assert.deepEqual(await got.json(), { key: 'ada' });
      assert.match(await readFile(join(folder, 'data/FORMAT'), 'utf8'), /^\d+\n$/);
      assert.deepEqual(await readThroughMcp(url), [{ type: 'text', text: '{"item":{"key":"ada"}}' }]);
      const transfer = async (...words: string[]) => {
        const options = { cwd: folder, env: { ...environment(), BASEDRIVE_KEY: key } };
        const basedrive = ['--no-install', 'basedrive', ...words, '--url', url, '--json'];
        return JSON.parse((await promisify(execFile)('npx', basedrive, options)).stdout) as { items: number };
      };
      assert.equal((await transfer('export', 'all.zip')).items, 1);
      assert.equal((await transfer('import', 'all.zip')).items, 1);
      child.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  });
});

describe('the package without its optional packages', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'basedrive-omitted-'));
    installPackedServer(folder, ['optional']);
  });
  after(() => rm(folder, { recursive: true, maxRetries: 10 }));

  const basedrive = (words: readonly string[], variables = {}) => {
    const program = join(folder, 'node_modules/.bin/basedrive');
    const env = { PATH: process.env.PATH, HOME: folder, ...variables };
    return spawn(program, words, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  };

  test('it serves', async () => {
    const child = basedrive(['--port', '0', '--key', key, '--metrics', '127.0.0.1:0']);
    const ended = once(child, 'exit');
    try {
      const url = await announcedUrl(child.stderr);
      assert.equal((await fetch(`${url}/ready`)).status, 200);
      child.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  });

  test('what needs one of them says which, and how to install them', async () => {
    const manifest = await readFile(join(root, 'packages/server/package.json'), 'utf8');
    const { optionalDependencies } = JSON.parse(manifest) as { optionalDependencies: Record<string, string> };
    const installs = (scope: string) => {
      const packages = Object.entries(optionalDependencies).filter(([name]) => name.startsWith(scope));
      return `npm install ${packages.map(([name, version]) => `${name}@${version}`).join(' ')}`;
    };
    const lacks = 'needs packages that this installation leaves out';
    const s3 = `An S3 store ${lacks}: ${installs('@aws-sdk/')}`;
    const traces = `--traces on ${lacks}: ${installs('@opentelemetry/')}`;
    const wrong: readonly (readonly [readonly string[], string])[] = [
      [['--port', '0', '--blobs', 's3://bucket'], s3],
      [['--port', '0', '--memory', '--traces', 'on'], traces],
      [['backup', 's3://bucket'], s3],
    ];
    for (const [words, told] of wrong) {
      const child = basedrive(words);
      const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
      assert.equal(code, 2, err);
      assert.equal(err, `basedrive: ${told}\n`);
    }
    const doctor = basedrive(['doctor', '--json', '--blobs', 's3://bucket', '--traces', 'on']);
    const findings = JSON.parse(await text(doctor.stdout)) as { verdict: string; found: string }[];
    const failures = findings.filter(({ verdict }) => verdict === 'failed').map(({ found }) => found);
    for (const told of [s3, traces])
      assert.ok(
        failures.some((found) => found.includes(told)),
        failures.join('\n'),
      );
  });
});
