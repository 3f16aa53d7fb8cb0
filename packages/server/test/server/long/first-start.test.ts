import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { type RunningServer, startServer, temporaryFolder } from '../../support/run-cli.js';

const exec = promisify(execFile);

/** The line as a human would paste it; a machine without curl takes fetch with the same parts. */
async function paste(server: RunningServer): Promise<unknown> {
  await server.said(/^ {2}curl .*\n/m);
  const line = /^ {2}(curl .*)$/m.exec(server.err())?.[1] ?? '';
  const hasCurl = await exec('curl', ['--version']).then(
    () => true,
    () => false,
  );
  if (hasCurl) return JSON.parse((await exec('sh', ['-c', line])).stdout);
  const [, method, url, key, body] =
    /-X (\S+) (\S+) -H 'X-API-Key: (\S+)' -H 'Content-Type: application\/json' -d '(.*)'$/.exec(line) ?? [];
  const headers = { 'X-API-Key': key!, 'Content-Type': 'application/json' };
  return await (await fetch(url!, { method: method!, headers, body: body! })).json();
}

const stored = { processed: { items: [{ key: 'first', text: 'Hello' }] } };

test('a first start prints a key once, and its curl line works when pasted', async (context) => {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder]);
  assert.deepEqual(await paste(server), stored);
  const key = /^ {2}(\w+_\w+)$/m.exec(server.err())?.[1] ?? '';
  assert.match(key, /^[a-z]{8}_[A-Za-z0-9]{32}$/);
  assert.equal(server.err().match(/A first key/g)?.length, 1);
  assert.equal(await server.stop(), 0);
  assert.ok(!server.out().includes(key), 'no log line holds the key');

  const again = await startServer(context, ['--data', folder]);
  const [project] = key.split('_');
  const answer = await fetch(`${again.url}/v1/${project}/hello/items/first`, {
    headers: { 'X-API-Key': key },
  });
  assert.deepEqual(await answer.json(), { key: 'first', text: 'Hello' });
  assert.ok(!again.err().includes('first key'));
});

test('a first start in memory prints a key too', async (context) => {
  assert.deepEqual(await paste(await startServer(context, ['--memory'])), stored);
});

test('a first start on every address prints an address to call', async (context) => {
  const server = await startServer(context, ['--memory', '--host', '0.0.0.0']);
  assert.deepEqual(await paste(server), stored);
});

test('with a key of the operator, no key is printed', async (context) => {
  const server = await startServer(context, ['--memory'], { BASEDRIVE_KEY: 'demo_s3cret' });
  assert.equal(await server.stop(), 0);
  assert.ok(!server.err().includes('key'));
});

test('a store that was used with --key is not given a first key for another project', async (context) => {
  const folder = await temporaryFolder(context);
  const first = await startServer(context, ['--data', folder, '--key', 'demo_s3cret']);
  const put = await fetch(`${first.url}/v1/demo/hello/items`, {
    method: 'PUT',
    headers: { 'X-API-Key': 'demo_s3cret', 'Content-Type': 'application/json' },
    body: '{"items":[{"key":"first","text":"Hello"}]}',
  });
  assert.equal(put.status, 207);
  await first.stop();

  const server = await startServer(context, ['--data', folder]);
  await server.said(/: basedrive keys create demo --data \S+$/m);
  assert.match(server.err(), /the store holds projects: demo\./);
  assert.ok(!server.err().includes('first key'));
  await server.stop();

  // A clone has no program by that name.
  const byNpm = { npm_lifecycle_event: 'start', npm_package_name: 'basedrive-workspace' };
  const inClone = await startServer(context, ['--data', folder], byNpm);
  await inClone.said(/: npm run -s basedrive -- keys create demo --data \S+$/m);
});
