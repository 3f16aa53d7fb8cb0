import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { backup, momentsIn, restore } from '../support/backups.js';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';
import { key, send } from '../support/served-copy.js';

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** All files of the only project of a store, which no server uses. */
async function exportOf(context: TestContext, folder: string): Promise<string> {
  const to = join(await temporaryFolder(context), 'export');
  const { code, err } = await run(['export', to, '--data', folder]);
  assert.equal(code, 0, err);
  return to;
}

test('a backup under load has everything that was acknowledged before its moment, and nothing later', async (context) => {
  const folder = await temporaryFolder(context);
  const place = join(await temporaryFolder(context), 'backups');
  let server = await startServer(context, ['--data', folder, '--key', key]);
  // Between the chain's first base and its drive: rows that are read for longer than a write takes.
  const filler = Array.from({ length: 30_000 }, (_, n) => `{"key":"${n}"}\n`).join('');
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson' };
  await fetch(`${server.url}/v1/demo/chain1-filler/items`, { method: 'PUT', headers, body: filler });
  let isWriting = true;
  let begun = 0;
  let acknowledged = 0;
  /** Each write begins when the one before it was acknowledged, so a moment has a beginning of the chain, whole. */
  const chain = async () => {
    while (isWriting) {
      const n = ++begun;
      if (n % 3 === 0)
        await send(server, 'POST', `drive/files?name=chain/${n}`, Buffer.alloc(20_000, `${n} `));
      else await send(server, 'PUT', `chain${n % 3}/items`, JSON.stringify({ items: [{ key: `${n}` }] }));
      acknowledged = n;
    }
  };
  /** Files of blobs that are overwritten and deleted all the time. */
  const churn = async (worker: number) => {
    for (let n = 0; isWriting; n++) {
      const name = `churn/${worker}-${n % 5}`;
      await send(
        server,
        'POST',
        `drive/files?name=${name}`,
        Buffer.alloc(100_000 + n, `${(100_000 + n) % 10}`),
      );
      if (n % 4 === 3) await send(server, 'DELETE', 'drive/files', JSON.stringify({ names: [name] }));
    }
  };
  let writing = Promise.all([chain(), churn(1), churn(2)]);

  const checkBackup = async (moment: string, least: number, most: number) => {
    const to = join(await temporaryFolder(context), 'restored');
    await restore(place, to, ['--at', moment]);
    assert.equal((await run(['check', '--data', to])).code, 0);
    const exported = await exportOf(context, to);
    const numbers: number[] = [];
    for (const base of ['chain1', 'chain2']) {
      const text = await readFile(join(exported, `bases/${base}.json`), 'utf8');
      for (const item of JSON.parse(text) as { key: string }[]) numbers.push(Number(item.key));
    }
    for (const name of await readdir(join(exported, 'drives/drive/chain'))) {
      const bytes = await readFile(join(exported, 'drives/drive/chain', name));
      assert.ok(bytes.equals(Buffer.alloc(20_000, `${name} `)));
      numbers.push(Number(name));
    }
    const last = Math.max(...numbers);
    assert.ok(last >= least && last <= most, `${last} is from ${least} to ${most}`);
    assert.deepEqual(
      numbers.sort((a, b) => a - b),
      Array.from({ length: last }, (_, n) => n + 1),
      'a whole beginning of the chain',
    );
    for (const name of await readdir(join(exported, 'drives/drive/churn'))) {
      const bytes = await readFile(join(exported, 'drives/drive/churn', name));
      assert.ok(bytes.every((byte) => byte === 48 + (bytes.length % 10)));
    }
  };

  const taken: [moment: string, least: number, most: number][] = [];
  while (acknowledged < 60) await new Promise((resolve) => setImmediate(resolve));
  for (let round = 0; round < 2; round++) {
    const least = acknowledged;
    const { moment, problemCount } = await backup(folder, place);
    taken.push([moment, least, begun]);
    assert.equal(problemCount, 0);
  }

  // A backup whose command is killed, and one whose server is killed, leave the others whole.
  const blobsBefore = await blobsIn(place);
  const command = spawn(process.execPath, [main, 'backup', place, '--data', folder], { stdio: 'ignore' });
  while (command.exitCode === null && (await blobsIn(place)) === blobsBefore) await tick();
  command.kill('SIGKILL');
  const cut = run(['backup', place, '--data', folder]);
  await tick();
  isWriting = false;
  await writing;
  isWriting = true;
  server.child.kill('SIGKILL');
  await once(server.child, 'close');
  const { code, err } = await cut;
  assert.ok(code === 0 || code === 2, err);
  server = await startServer(context, ['--data', folder, '--key', key]);
  writing = Promise.all([chain(), churn(1), churn(2)]);
  const least = acknowledged;
  const { moment } = await backup(folder, place, ['--verify']);
  taken.push([moment, least, begun]);
  isWriting = false;
  await writing;
  for (const given of taken) await checkBackup(...given);

  // Only the newest backup is kept, and it stays whole.
  const last = await backup(folder, place, ['--keep', '0s']);
  assert.deepEqual(await momentsIn(place), [last.moment]);
  await checkBackup(last.moment, acknowledged, acknowledged);
  assert.equal(await server.stop(), 0);
});

async function blobsIn(place: string): Promise<number> {
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).length;
}

const tick = () => new Promise((resolve) => setImmediate(resolve));
