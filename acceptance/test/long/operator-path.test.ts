import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '../../src/model/client.js';
import { type ServerProcess, startServer } from '../../src/server-process.js';
import { checkChains, type Progress, startChains } from '../support/chains.js';
import { commandsOf, type Place, runTyped } from '../support/page-commands.js';
import { startPrometheus, withoutPrometheus } from '../support/prometheus.js';
import { checkExportOfSaved, writeSavedProject } from '../support/saved-project.js';

/**
 * The path of an operator, from the archive of the old service to an export of what was restored. Each command is taken
 * from the page that tells to run it; only the folders differ.
 */
test('a saved project goes in, is backed up under load, restored, seen in Prometheus, and comes out the same', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-operator-'));
  context.after(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  const place = (words: Place['words'] = {}): Place => ({ cwd: folder, environment: {}, words });
  /** Starts the server as the page says, with metrics, on a data folder of its own. */
  const start = async (data: string) => {
    const [command = ''] = commandsOf('operations.md', '## Metrics');
    const [, flags = ''] = /^npm start -- (--metrics 127\.0\.0\.1:9464)$/.exec(command) ?? [];
    assert.notEqual(flags, '', command);
    const words = flags.replace(':9464', ':0').split(' ');
    return await startServer([...words, '--data', join(folder, data), '--log-level', 'warn']);
  };
  let server: ServerProcess | undefined;
  context.after(() => server?.kill());
  let before: Progress | undefined;
  let after: Progress | undefined;

  await context.test('1. the archive of the old service is imported beside the running server', async () => {
    await writeSavedProject(join(folder, 'my-project.zip'));
    server = await start('data');
    const [command = ''] = commandsOf('moving-in.md', '## Bringing the data along');
    assert.match(command, /import \.\/my-project\.zip --project shop$/);
    await runTyped(command, place());
  });

  await context.test('2. an export has every item and every byte of it', async () => {
    const [command = ''] = commandsOf('moving-in.md', '## Export and import');
    assert.match(command, /export \.\/backup --project shop$/);
    await runTyped(command, place({ './backup': './exported' }));
    await checkExportOfSaved(join(folder, 'exported'));
  });

  await context.test('3. the store is backed up while others write', async (context) => {
    const [command = ''] = commandsOf('moving-in.md', '## A key and an address');
    const [key = ''] = /\bload_\w+/.exec(await runTyped(command, place({ shop: 'load' }))) ?? [];
    const client = createClient(server?.port ?? 0, key, 6);
    context.after(() => client.close());
    const abandon = new AbortController();
    context.after(() => abandon.abort());
    const load = startChains(client, 4, abandon.signal);
    await load.reach(10);
    const [backup = '', , list = ''] = commandsOf('operations.md', '## Backup');
    before = load.progress();
    const report = await runTyped(backup, place());
    after = load.progress();
    assert.match(report, /^Backup of \d{4}-/m, report);
    await load.stop();
    const [moment = ''] = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(report) ?? [];
    assert.ok((await runTyped(list, place())).includes(moment), 'the list has the backup');
    assert.equal(await server?.stop(), 0);
  });

  await context.test('4. it is restored elsewhere, and the check of it finds nothing wrong', async () => {
    const restore = commandsOf('operations.md', '## Backup').at(-1) ?? '';
    assert.match(restore, /restore \.\/backups --data \.\/restored$/);
    await runTyped(restore, place());
    const [check = ''] = commandsOf('operations.md', '## Checking the store');
    assert.match(await runTyped(check, place({ './data': './restored' })), /^Nothing is wrong$/m);
  });

  await context.test(
    '5. Prometheus sees the restored server with the documented configuration',
    {
      skip: withoutPrometheus(),
    },
    async (context) => {
      server = await start('restored');
      const announced = /Metrics are at http:\/\/(\S+)\/metrics\n/;
      while (!announced.test(server.announced())) await wait(10);
      const [, metrics = ''] = announced.exec(server.announced()) ?? [];
      const prometheus = await startPrometheus(context, folder, metrics);
      await prometheus.becomes('up{job="basedrive"}', 1);
      const health = 'sum(basedrive_http_requests_total{job="basedrive",route="/health",status="200"})';
      for (let count = 0; count < 3; count++) assert.ok((await fetch(new URL('/health', server.url))).ok);
      await prometheus.becomes(health, 3);
      await prometheus.becomes('basedrive_maintenance_leader', 1);
      const { groups } = (await prometheus.ask('rules')) as {
        groups: { rules: { name: string; health: string; lastError?: string; state: string }[] }[];
      };
      const rules = groups.flatMap((group) => group.rules);
      assert.ok(rules.length > 5);
      // A rule may be pending for a moment, but no alert fires for a server that has just started.
      for (const { name, lastError, state } of rules)
        assert.deepEqual([name, lastError ?? '', state === 'firing'], [name, '', false]);
    },
  );

  await context.test('6. a second export is the same as the first: diff finds nothing', async () => {
    const [command = ''] = commandsOf('moving-in.md', '## Export and import');
    const data = { './backup': './exported-again', shop: 'shop --data ./restored' };
    await runTyped(command, place(data));
    assert.equal(await runTyped('diff --recursive exported exported-again', place()), '');
    await checkExportOfSaved(join(folder, 'exported-again'));
  });

  await context.test('7. what others wrote is there as it was at the moment of the backup', async () => {
    const [command = ''] = commandsOf('moving-in.md', '## Export and import');
    await runTyped(command, place({ './backup': './load', shop: 'load --data ./restored' }));
    assert.ok(before !== undefined && after !== undefined);
    await checkChains(join(folder, 'load'), before, after);
  });
});
