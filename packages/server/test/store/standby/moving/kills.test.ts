import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startPostgres, type TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import { startS3, type TestS3 } from 'basedrive-acceptance/services/s3.js';
import { assertStandbyOf, startFollowing, wrongIn } from '../../../support/following.js';
import { type RunningServer, run, startServer, temporaryFolder } from '../../../support/run-cli.js';
import { contentOf, copyJson, fillServer, key } from '../../../support/served-copy.js';
import {
  assertServeTheSame,
  createBelow,
  startStandbyLoad,
  tornPairs,
  wrongClock,
} from '../../../support/standby-load.js';

/** `BASEDRIVE_STANDBY_KILLS=100` for a long run. */
const kills = Number(process.env.BASEDRIVE_STANDBY_KILLS ?? 5);
const seed = Number(process.env.BASEDRIVE_STANDBY_SEED ?? 11);
const hourMs = 3_600_000;
const clocks = [0, -hourMs, hourMs];

let postgres: TestPostgres;
let s3: TestS3;
before(async () => {
  [postgres, s3] = await Promise.all([startPostgres(), startS3()]);
});
after(async () => {
  await Promise.all([postgres.stop(), s3.stop()]);
});

async function newPair(name: string): Promise<[string, string]> {
  const items = await postgres.createDatabase(name);
  assert.equal((await run(['migrate', '--items', items])).code, 0);
  return [items, `s3://${await s3.createBucket()}/some/prefix`];
}

/** The transactions of which a part is missing in a database, at one moment. */
async function tornIn(database: string): Promise<string[]> {
  const rows = await postgres.ask(
    `SELECT convert_from(key, 'UTF8') || ' ' || convert_from(value, 'UTF8') FROM basedrive_rows
      WHERE space = 'base/demo/pairs' AND key >= '\\x01'`,
    database,
  );
  const items = rows.map((row) => [row.slice(0, row.indexOf(' ')), row.slice(row.indexOf(' ') + 1)] as const);
  assert.ok(items.length > 0);
  return tornPairs(items);
}

test(`a folder is followed to PostgreSQL and S3 through ${kills} kills of server and command, with clocks that are an hour wrong (seed ${seed})`, async (context) => {
  const folder = await temporaryFolder(context);
  const back = await temporaryFolder(context);
  const [items, blobs] = await newPair('followed');
  const places = ['--items', items, '--blobs', blobs];
  const flags = ['--data', folder, '--key', key];
  const below = createBelow(seed);
  const follow = () => startFollowing(context, ['--from', folder, '--to', items, blobs], s3.environment());
  let server: RunningServer = await startServer(context, flags);
  await fillServer(server);
  const load = await startStandbyLoad(() => server, below);
  let following = follow();
  await following.even();
  const torn = await tornIn('followed');
  let shiftMs = 0;
  for (let kill = 0; kill < kills; kill++) {
    await load.some(20 + below(80));
    const choice = below(3);
    if (choice !== 0) await server.stop('SIGKILL');
    if (choice !== 1) {
      following.child.kill('SIGKILL');
      await following.ended;
    }
    torn.push(...(await tornIn('followed')));
    if (choice !== 0) {
      // The server that has the folder follows.
      shiftMs = clocks[kill % clocks.length] as number;
      server = await startServer(context, flags, wrongClock(shiftMs));
    }
    if (choice !== 1) following = follow();
    if (kill % 3 === 2) await following.even(shiftMs);
    torn.push(...(await tornIn('followed')));
  }
  await load.stop();
  await following.even(shiftMs);
  assert.equal(await server.stop(), 0);
  following.child.kill('SIGTERM');
  await following.ended;
  assert.deepEqual([...torn, ...(await tornIn('followed'))], []);
  assert.deepEqual(wrongIn(await run(['check', '--json', ...places], s3.environment())), []);
  assert.equal((await copyJson(['--from', items, blobs, '--to', back], s3.environment())).code, 0);
  assertStandbyOf(await contentOf(back), await contentOf(folder));

  const promoted = await startServer(context, [...places, '--key', key], s3.environment());
  await promoted.said(/This store was a standby: it has everything that its source acknowledged before/);
  await assertServeTheSame(promoted, await startServer(context, flags));
  assert.equal(await promoted.stop(), 0);
});

test(`PostgreSQL and S3 are followed to a folder by a command that is killed ${kills} times, with a clock that is an hour wrong (seed ${seed})`, async (context) => {
  const to = await temporaryFolder(context);
  const back = await temporaryFolder(context);
  const [items, blobs] = await newPair('source');
  const places = ['--items', items, '--blobs', blobs];
  const below = createBelow(seed);
  const variables = s3.environment();
  const server = await startServer(context, [...places, '--garbage-grace', '1h', '--key', key], variables);
  await fillServer(server);
  const load = await startStandbyLoad(() => server, below);
  const follow = (shiftMs: number) =>
    startFollowing(context, ['--from', items, blobs, '--to', to], { ...variables, ...wrongClock(shiftMs) });
  let shiftMs = -hourMs;
  let following = follow(shiftMs);
  await following.even(shiftMs);
  for (let kill = 0; kill < kills; kill++) {
    await load.some(20 + below(80));
    following.child.kill('SIGKILL');
    await following.ended;
    shiftMs = clocks[kill % clocks.length] as number;
    following = follow(shiftMs);
    if (kill % 3 === 2) await following.even(shiftMs);
  }
  await load.stop();
  await following.even(shiftMs);
  following.child.kill('SIGTERM');
  await following.ended;
  assert.deepEqual(wrongIn(await run(['check', '--json', '--data', to])), []);
  assert.equal(await server.stop(), 0);
  assert.equal((await copyJson(['--from', items, blobs, '--to', back], variables)).code, 0);
  assertStandbyOf(await contentOf(to), await contentOf(back));
});
