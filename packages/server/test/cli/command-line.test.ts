import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { settingRules } from '../../src/config/settings.js';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';

test('--help lists every option with its variable, and the commands', async () => {
  const { code, out } = await run(['--help']);
  assert.equal(code, 0);
  for (const { flag, variable } of Object.values(settingRules)) {
    assert.ok(out.includes(flag), flag);
    assert.ok(out.includes(`[${variable}]`), variable);
  }
  assert.match(out, /^ {2}serve /m);
  assert.match(out, /^ {2}keys /m);
  const create = await run(['keys', 'create', '--help']);
  assert.equal(create.code, 0);
  assert.match(create.out, /--data <folder>/);
});

test('--key and --key-file mean the key of the client where a command asks a server', async () => {
  for (const command of ['export', 'import', 'mcp']) {
    const { out } = await run([command, '--help']);
    const text = out.replaceAll(/\s+/g, ' ');
    assert.match(text, /--key <key> the key of the project, /);
    assert.match(text, /--key-file <file> take the key of the project from this file/);
    assert.doesNotMatch(text, /accept (a|the) key/);
  }
  assert.match((await run(['serve', '--help'])).out, /--key <key> +accept a key of your own/);
});

test('help prints what --help prints, of the program and of each command', async () => {
  for (const words of [[], ['serve'], ['keys'], ['keys', 'create'], ['export']]) {
    const asked = await run(['help', ...words]);
    assert.deepEqual(asked, await run([...words, '--help']));
    assert.equal(asked.code, 0);
  }
  assert.match((await run(['--help'])).out, /^ {2}help \[command\.\.\.\] +print the help of a command/m);
});

test('--version prints the version of the package', async () => {
  const file = new URL('../../../package.json', import.meta.url);
  const { version } = JSON.parse(await readFile(file, 'utf8'));
  assert.deepEqual(await run(['--version']), { code: 0, out: `${version}\n`, err: '' });
});

const wrong: readonly (readonly [string, readonly string[], RegExp])[] = [
  ['an unknown option', ['--prot', '1'], /unknown option '--prot'/],
  ['an unknown command', ['server'], /unknown command 'server' \(Did you mean serve\?\)/],
  ['an unknown command of keys', ['keys', 'make'], /unknown command 'make'/],
  ['an option without its value', ['--port'], /--port/],
  ['a wrong value', ['--port', 'http'], /--port http: must be a whole number/],
  ['a missing project', ['keys', 'create'], /project/],
  ['a certificate without its key', ['--memory', '--tls-cert', 'x'], /--tls-cert and --tls-key/],
  [
    'a certificate of its own beside a given one',
    ['--memory', '--https', '--tls-cert', 'x', '--tls-key', 'y'],
    /--https: makes a certificate; give either/,
  ],
  ['a name for no certificate', ['--memory', '--hostname', 'a.test'], /--hostname: is for the certificate/],
  ['a path that the shell did not replace', ['--data=~/data'], /--data ~\/data: begins with ~/],
  ['a data folder that is a standard stream', ['--data', '-'], /--data -: is -, and no standard stream/],
  ['an export to standard output', ['export', '-'], /<to>: is -, and no standard stream can be used here/],
  ['an import from standard input', ['import', '-'], /<from>: is -, and no standard stream/],
  ['a backup to standard output', ['backup', '-'], /The place of backups is -, and no standard stream/],
  [
    'a copy from standard input',
    ['copy', '--from', '-', '--to', 'x'],
    /--from: is -, and no standard stream/,
  ],
  ['help with an unknown command', ['help', 'key'], /unknown command 'key' \(Did you mean keys\?\)/],
  [
    'help with an unknown command of keys',
    ['help', 'keys', 'lost'],
    /unknown command 'lost' \(Did you mean list/,
  ],
  ['such a folder for bytes', ['--blobs=~'], /--blobs: begins with ~/],
  ['such a place of backups', ['backup', '~/backups'], /The place of backups begins with ~/],
  ['such a file of an export', ['export', '~/all.zip'], /<to>: begins with ~/],
  ['such a store to copy', ['copy', '--from=~/a', '--to', './b'], /--from: begins with ~/],
  [
    'files of a certificate that are not there',
    ['--memory', '--tls-cert', 'x', '--tls-key', 'y'],
    /x cannot be/,
  ],
  ['an address of another machine', ['--memory', '--host', '192.0.2.1'], /192\.0\.2\.1 port/],
];
for (const [name, options, message] of wrong) {
  test(`${name} ends with one line and exit code 2`, async () => {
    const { code, out, err } = await run(options);
    assert.equal(code, 2, err);
    assert.equal(out, '');
    assert.match(err, message);
    assert.match(err, /^basedrive: [^\n]+\n$/);
  });
}

test('a setting that a command does not read is named in a warning', async (context) => {
  const folder = await temporaryFolder(context);
  const given = ['--data', folder, '--host', 'data.example', '--port', '80'];
  const { code, err } = await run(['export', join(folder, 'to'), ...given]);
  assert.equal(code, 2);
  assert.match(err, /^basedrive: warning: --host has no effect on export\n/);
  assert.match(err, /^basedrive: warning: --port has no effect on export$/m);
  assert.doesNotMatch(err, /--data has/);
  const list = await run(['keys', 'list', ...given, '--blobs', folder]);
  assert.match(list.err, /^basedrive: warning: --host has no effect on keys list\n/);
  assert.doesNotMatch(list.err, /--(data|blobs) has/);
});

test('--help with an unknown command ends with one line and exit code 2', async () => {
  for (const options of [
    ['foo', '--help'],
    ['-h', 'foo'],
    ['--data', './x', 'foo', '--help'],
  ]) {
    const { code, out, err } = await run(options);
    assert.deepEqual(
      { code, out, err },
      { code: 2, out: '', err: "basedrive: unknown command 'foo' (see --help)\n" },
    );
  }
});

test('a variable with a misspelt name is named, with the likeliest intended name', async (context) => {
  const folder = await temporaryFolder(context);
  const { err } = await run(['keys', 'list', '--data', folder], {
    BASEDRIVE_LOGLEVEL: 'error',
    BASEDRIVE_S3_ENDPONT: 'https://s3.test',
    BASEDRIVE_SOMETHING_ELSE: '1',
  });
  assert.match(
    err,
    /^basedrive: warning: unknown variable BASEDRIVE_LOGLEVEL: did you mean BASEDRIVE_LOG_LEVEL\?$/m,
  );
  assert.match(
    err,
    /^basedrive: warning: unknown variable BASEDRIVE_S3_ENDPONT: did you mean BASEDRIVE_S3_ENDPOINT\?$/m,
  );
  assert.match(err, /^basedrive: warning: unknown variable BASEDRIVE_SOMETHING_ELSE \(see --help\)$/m);
});

test('an option before the -- of npm, which npm keeps for itself, is named without its value', async (context) => {
  const folder = await temporaryFolder(context);
  const options = ['keys', 'list', '--data', folder];
  const { err } = await run(options, { npm_config_key_file: 's3cret', npm_config_https: 'true' });
  for (const flag of ['--key-file', '--https']) {
    assert.ok(
      err.includes(
        `basedrive: warning: npm kept ${flag}: write options after --, as in npm start -- ${flag}`,
      ),
    );
  }
  assert.doesNotMatch(err, /s3cret/);
  // An option of npm's own, which a user may have set for npm.
  assert.doesNotMatch((await run(options, { npm_config_key: 'x' })).err, /warning/);
});

test('variables that Kubernetes sets for a service named basedrive are neither settings nor mistakes', async (context) => {
  const server = await startServer(context, ['--memory', '--key', 'demo_s3cret'], {
    BASEDRIVE_SERVICE_HOST: '10.0.0.1',
    BASEDRIVE_SERVICE_PORT: '8080',
    BASEDRIVE_SERVICE_PORT_HTTP: '8080',
    BASEDRIVE_PORT: 'tcp://10.0.0.1:8080',
    BASEDRIVE_PORT_8080_TCP: 'tcp://10.0.0.1:8080',
    BASEDRIVE_PORT_8080_TCP_ADDR: '10.0.0.1',
    BASEDRIVE_PORT_8080_TCP_PORT: '8080',
    BASEDRIVE_PORT_8080_TCP_PROTO: 'tcp',
    BASEDRIVE_DB_SERVICE_HOST: '10.0.0.2',
    BASEDRIVE_DB_PORT: 'tcp://10.0.0.2:5432',
    BASEDRIVE_URL: 'http://client.test',
  });
  assert.doesNotMatch(server.err(), /variable/);
});

test('the help of serve lists every variable that the program reads', async () => {
  const { out } = await run(['--help']);
  for (const variable of ['AWS_*', 'BASEDRIVE_S3_ENDPOINT', 'PGPASSWORD', 'BASEDRIVE_COPY_FROM']) {
    assert.ok(out.includes(variable), variable);
  }
});

test('the keys of --key-file are accepted; a bad line is named by its number and never repeated', async (context) => {
  const file = join(await temporaryFolder(context), 'keys');
  await writeFile(file, '# of the shop\nshop_s3cret\n\n  demo_0ther\n');
  const server = await startServer(context, ['--memory', '--key-file', file]);
  for (const key of ['shop_s3cret', 'demo_0ther']) {
    const url = `${server.url}/v1/${key.split('_')[0]}/base/items/a`;
    assert.equal((await fetch(url, { headers: { 'X-API-Key': key } })).status, 404);
  }
  await writeFile(file, 'shop_s3cret\nwr0ng\n');
  const { code, err } = await run(['--memory', '--port', '0'], { BASEDRIVE_KEY_FILE: file });
  assert.equal(code, 2);
  assert.match(err, /^basedrive: --key-file: \S+, line 2: a key is \{project\}_\{secret\}\n$/);
  const missing = await run(['--memory', '--port', '0', '--key-file', `${file}.no`]);
  assert.equal(missing.code, 2);
  assert.match(missing.err, /^basedrive: --key-file: \S+ cannot be read: [^\n]+\n$/);
});

test('a data folder that other users can enter is named at the start, in the log too', async (context) => {
  const folder = await temporaryFolder(context);
  const options = ['--data', folder, '--key', 'demo_s3cret'];
  await chmod(folder, 0o755);
  const open = await startServer(context, options);
  await open.stop();
  assert.match(open.err(), /^Warning: other users [^\n]+ data folder \S+ \(mode 0755\): chmod 700 it$/m);
  assert.match(open.out(), /"level":40,[^\n]*\(mode 0755\)/);
  await chmod(folder, 0o700);
  const closed = await startServer(context, options);
  await closed.stop();
  assert.doesNotMatch(closed.err() + closed.out(), /mode/);
});

test('a port in use ends with one line and exit code 2', async (context) => {
  const { port } = await startServer(context, ['--memory']);
  const { code, err } = await run(['--memory', '--port', String(port)]);
  assert.equal(code, 2);
  assert.match(
    err,
    /^basedrive: Cannot listen on 127\.0\.0\.1 port \d+: the port is in use; give another --port\n$/,
  );
});

test('a port in use is found before anything is stored', async (context) => {
  const folder = await temporaryFolder(context);
  const data = join(folder, 'new', 'data');
  const { port } = await startServer(context, ['--memory']);
  for (const [taken, setting] of [
    [['--port', String(port)], '--port'],
    [['--port', '0', '--metrics', `127.0.0.1:${port}`], '--metrics'],
  ] as const) {
    const { code, err } = await run(['--data', data, ...taken]);
    assert.equal(code, 2);
    assert.match(err, new RegExp(`: the port is in use; give another ${setting}\\n$`));
    assert.deepEqual(await readdir(folder), []);
  }
});

test('a second server on one data folder is refused, and the first goes on', async (context) => {
  const folder = await temporaryFolder(context);
  const first = await startServer(context, ['--data', folder, '--key', 'demo_s3cret']);
  // The folder is what to say about a server that was started twice.
  for (const port of ['0', String(first.port)]) {
    const { code, err } = await run(['--data', folder, '--port', port]);
    assert.equal(code, 2);
    assert.match(
      err,
      /^basedrive: The data folder \S+ is in use by another process: stop it, or give another folder\n$/,
    );
  }
  assert.equal((await fetch(`${first.url}/health`)).status, 200);
  assert.equal((await run(['keys', 'list', '--data', folder])).code, 0);
});

test('a data folder of a newer format is refused and left alone', async (context) => {
  const folder = await temporaryFolder(context);
  await writeFile(join(folder, 'FORMAT'), '999\n');
  const { code, err } = await run(['--data', folder, '--port', '0']);
  assert.equal(code, 2);
  assert.match(
    err,
    /^basedrive: The data folder \S+ has format 999, newer than this version reads \(\d+\)[^\n]+\n$/,
  );
  assert.equal(await readFile(join(folder, 'FORMAT'), 'utf8'), '999\n');
});

test('rows without a known format are refused', async (context) => {
  const folder = await temporaryFolder(context);
  await mkdir(join(folder, 'rows'));
  assert.equal((await run(['--data', folder, '--port', '0'])).code, 2);
  await writeFile(join(folder, 'FORMAT'), 'one\n');
  const { code, err } = await run(['--data', folder, '--port', '0']);
  assert.equal(code, 2);
  assert.match(
    err,
    /FORMAT does not hold the number of a format: restore the folder from a backup, complete\n$/,
  );
});

test('a part of a data folder that is a link to a disk that is not mounted is named', async (context) => {
  const folder = await temporaryFolder(context);
  await writeFile(join(folder, 'FORMAT'), '5\n');
  await symlink(join(folder, 'away'), join(folder, 'blobs'));
  const { code, err } = await run(['--data', folder, '--port', '0']);
  assert.equal(code, 2);
  assert.match(
    err,
    /^basedrive: The data folder \S+ cannot be used: \S+blobs: it is a link to what is not there/,
  );
});

test('a data folder that is a file, or below one, ends with one line and exit code 2', async (context) => {
  const file = join(await temporaryFolder(context), 'file');
  await writeFile(file, '');
  for (const path of [file, join(file, 'data')]) {
    const { code, err } = await run(['--data', path, '--port', '0']);
    assert.equal(code, 2);
    assert.match(err, /^basedrive: The data folder \S+ cannot be used: [^\n]+ not a folder\n$/);
  }
});

test('a data folder that may not be written ends with one line and exit code 2', async (context) => {
  // To root nothing is forbidden; the file system of processes takes no folders from anyone.
  let path = '/proc/basedrive';
  if (process.getuid?.() !== 0) {
    path = await temporaryFolder(context);
    await chmod(path, 0o500);
  }
  const { code, err } = await run(['--data', path, '--port', '0']);
  assert.equal(code, 2);
  assert.match(err, /^basedrive: The data folder \S+ cannot be used: [^\n]+\n$/);
});
