import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertStandbyOf, startFollowing, wrongIn } from '../../../support/following.js';
import { type RunningServer, run, startServer, temporaryFolder } from '../../../support/run-cli.js';
import { contentOf, fillServer, key } from '../../../support/served-copy.js';
import {
  assertServeTheSame,
  createBelow,
  startStandbyLoad,
  tornPairs,
} from '../../../support/standby-load.js';

/** `BASEDRIVE_STANDBY_KILLS=200` for a long run. */
const kills = Number(process.env.BASEDRIVE_STANDBY_KILLS ?? 20);
const seed = Number(process.env.BASEDRIVE_STANDBY_SEED ?? 7);

/** The transactions of a stopped standby of which a part is missing. */
function torn([rows]: Awaited<ReturnType<typeof contentOf>>): string[] {
  const items = (rows as { space: string; key: string; value: Buffer }[]).filter(
    (row) => row.space === 'base/demo/pairs' && row.key >= '\u0001',
  );
  return tornPairs(items.map((row) => [row.key, row.value.toString()]));
}

test(`a standby whose source, command and server are killed ${kills} times under load is equal in the end, and serves it all (seed ${seed})`, async (context) => {
  const folder = await temporaryFolder(context);
  const to = join(await temporaryFolder(context), 'standby');
  const flags = ['--data', folder, '--key', key];
  const below = createBelow(seed);
  let server: RunningServer = await startServer(context, flags);
  await fillServer(server);
  const load = await startStandbyLoad(() => server, below);

  let following = startFollowing(context, ['--from', folder, '--to', to]);
  await following.even();
  const wrong: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    await load.some(20 + below(80));
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
  await load.stop();
  await following.even();
  assert.equal(await server.stop(), 0);
  following.child.kill('SIGTERM');
  await following.ended;
  assert.deepEqual(wrong, []);
  const content = await contentOf(to);
  assert.deepEqual(torn(content), []);
  assertStandbyOf(content, await contentOf(folder));

  const promoted = await startServer(context, ['--data', to, '--key', key]);
  const source = await startServer(context, flags);
  await assertServeTheSame(promoted, source);
  assert.equal(await promoted.stop(), 0);
  assert.deepEqual(wrongIn(await run(['check', '--json', '--data', to])), []);
});
