import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { CheckReport } from '../../../../src/store/check/report.js';
import { startFollowing, withoutGarbage } from '../../../support/following.js';
import { type RunningServer, run, startServer, temporaryFolder } from '../../../support/run-cli.js';
import { contentOf, fillServer, key, send } from '../../../support/served-copy.js';

/** `BASEDRIVE_STANDBY_KILLS=200` for a long run. */
const kills = Number(process.env.BASEDRIVE_STANDBY_KILLS ?? 20);
const seed = Number(process.env.BASEDRIVE_STANDBY_SEED ?? 7);
const writers = 3;
const names = 25;

/** Whole numbers below a limit: the same ones for the same seed. */
function createBelow(): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
}

/** The transactions of a stopped standby of which a part is missing: each puts the same number into two items. */
function torn([rows]: Awaited<ReturnType<typeof contentOf>>): string[] {
  const numbers = new Map<string, number>();
  for (const { space, key: of, value } of rows as { space: string; key: string; value: Buffer }[])
    if (space === 'base/demo/pairs' && of >= '\u0001') numbers.set(of, JSON.parse(value.toString()).n);
  return [...numbers].flatMap(([of, n]) =>
    of.startsWith('a') && numbers.get(`b${of.slice(1)}`) !== n
      ? [`${of} ${n} ${numbers.get(`b${of.slice(1)}`)}`]
      : [],
  );
}

test(`a standby whose source, command and server are killed ${kills} times under load is equal in the end, and serves it all (seed ${seed})`, async (context) => {
  const folder = await temporaryFolder(context);
  const to = join(await temporaryFolder(context), 'standby');
  const flags = ['--data', folder, '--key', key];
  const below = createBelow();
  let server: RunningServer = await startServer(context, flags);
  await fillServer(server);
  await send(server, 'PUT', 'pairs/indexes/by-n', '{"fields":["n"]}');
  let isOver = false;
  let written = 0;

  async function write(): Promise<void> {
    const [one, other] = [below(names), below(names)];
    const file = `f${one}`;
    const n = ++written;
    const puts = [`a${one}`, `b${one}`].map((name) => ({ put: { key: name, n } }));
    const choice = below(6);
    if (choice <= 1) await send(server, 'POST', 'pairs/transactions', JSON.stringify({ operations: puts }));
    else if (choice === 2)
      await send(server, 'POST', `drive/files?name=${file}`, Buffer.alloc(40_000, `${n} `));
    else if (choice === 3) await send(server, 'POST', `drive/files?name=${file}`, `${n}`);
    else if (choice === 4) await send(server, 'DELETE', 'drive/files', JSON.stringify({ names: [file] }));
    else {
      const files = [{ from: file, to: `f${other}` }];
      await send(server, 'POST', 'drive/files/move', JSON.stringify({ files, overwrite: true }));
    }
  }
  const work = Array.from({ length: writers }, async () => {
    // What fails was killed, or is a file that is not there.
    while (!isOver) await write().catch(() => wait(5));
  });

  let following = startFollowing(context, ['--from', folder, '--to', to]);
  await following.even();
  const wrong: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const before = written;
    while (written < before + 20 + below(80)) await wait(5);
    const choice = below(3);
    if (choice !== 0) await server.stop('SIGKILL');
    if (choice !== 1) {
      following.child.kill('SIGKILL');
      await following.ended;
    }
    // Now nobody has the standby.
    if (choice === 2) wrong.push(...torn(await contentOf(to)));
    if (choice !== 0) server = await startServer(context, flags);
    if (choice !== 1) following = startFollowing(context, ['--from', folder, '--to', to]);
    if (kill % 5 === 4) await following.even();
  }
  isOver = true;
  await Promise.all(work);
  await following.even();
  assert.equal(await server.stop(), 0);
  following.child.kill('SIGTERM');
  await following.ended;
  assert.deepEqual(wrong, []);
  const content = await contentOf(to);
  assert.deepEqual(torn(content), []);
  const [rows, blobs] = withoutGarbage(await contentOf(folder));
  const [ownRows, ownBlobs] = withoutGarbage(content) as [unknown, ReadonlyMap<string, Buffer>];
  assert.deepEqual(ownRows, rows);
  // Either side has orphans that a kill has left, and the source has garbage.
  const named = (rows as { value: Buffer }[]).map(({ value }) => value.toString()).join();
  for (const [id, bytes] of blobs as ReadonlyMap<string, Buffer>)
    if (named.includes(id)) assert.deepEqual(ownBlobs.get(id), bytes, id);

  const promoted = await startServer(context, ['--data', to, '--key', key]);
  const source = await startServer(context, flags);
  for (const path of ['pairs/items', 'base/items', 'drive/files?details=true', 'pairs/items/a1'])
    assert.equal(await textOf(promoted, path), await textOf(source, path));
  const { files } = JSON.parse(await textOf(source, 'drive/files?details=true')) as {
    files: { name: string }[];
  };
  assert.ok(files.length > 0);
  for (const { name } of files) {
    const path = `drive/files/download?name=${name}`;
    assert.equal(await textOf(promoted, path), await textOf(source, path), name);
  }
  assert.equal(await promoted.stop(), 0);
  // A blob that a killed run had copied is an orphan, which the server deletes when it is an hour old.
  const checked = JSON.parse((await run(['check', '--json', '--data', to])).out) as CheckReport;
  assert.deepEqual(
    checked.problems.filter(({ problem }) => problem !== 'no row owns it'),
    [],
  );
});

async function textOf(server: RunningServer, path: string): Promise<string> {
  return await (await fetch(`${server.url}/v1/demo/${path}`, { headers: { 'X-API-Key': key } })).text();
}
