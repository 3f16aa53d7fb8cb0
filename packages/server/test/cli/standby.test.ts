import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startFollowing, withoutGarbage } from '../support/following.js';
import { run, startServer, temporaryFolder } from '../support/run-cli.js';
import { contentOf, fillServer, key, send } from '../support/served-copy.js';

test('copy --follow keeps a standby beside the server, through kills, a command on it and its absence, says its lag, and serves it all once promoted', async (context) => {
  const folder = await temporaryFolder(context);
  const to = join(await temporaryFolder(context), 'standby');
  const flags = ['--data', folder, '--key', key];
  let server = await startServer(context, [...flags, '--metrics', '127.0.0.1:0']);
  await fillServer(server);
  const following = startFollowing(context, ['--from', folder, '--to', to]);
  await following.even();

  const [, metrics = ''] = /Metrics .*(http:\S+)/i.exec(server.err()) ?? [];
  const text = await (await fetch(metrics)).text();
  assert.match(text, /^basedrive_standbys 1$/m);
  assert.match(text, /^basedrive_standby_lag_seconds [\d.]+$/m);
  for (const looked of [folder, to]) {
    const doctor = await run(['doctor', '--data', looked, '--port', '0']);
    assert.match(doctor.out, /standby.* of .*: [\d.]+ s behind/, doctor.out);
  }
  assert.match((await run(['serve', '--data', to, '--port', '0'])).err, /is in use by another process/);
  const refusedKey = await run(['keys', 'create', 'demo', '--data', to]);
  assert.match(refusedKey.err, /is a standby that copy --follow keeps: end that command first/);

  await server.stop('SIGKILL');
  await following.said(/No server runs on .*: waiting for it/);
  // Nobody has the standby, so the command works on it. No log notes that.
  assert.equal((await run(['projects', 'delete', 'demo', 'demo', '--data', to])).code, 0);
  const changed = await run(['doctor', '--data', to, '--port', '0']);
  assert.match(changed.out, /warning +standby .*, and a command has changed them/, changed.out);
  // As a disk that is not mounted: in its place, another standby would fill the disk of the source.
  await rename(to, `${to}.away`);
  server = await startServer(context, flags);
  await following.waits(/the standby is not in .*standby: mount its disk/);
  assert.equal(existsSync(to), false);
  await rename(`${to}.away`, to);
  await send(server, 'PUT', 'base/items', '{"items":[{"key":"after"}]}');
  await send(server, 'POST', 'drive/files?name=large', Buffer.alloc(300_000, 'L'));
  await following.even();
  assert.equal(await server.stop(), 0);
  following.child.kill('SIGINT');
  const [code] = await following.ended;
  assert.equal(code, 130);
  assert.match(following.err(), /Interrupted: the standby stays as it is/);

  assert.deepEqual(withoutGarbage(await contentOf(to)), withoutGarbage(await contentOf(folder)));
  assert.match((await run(['doctor', '--data', to, '--port', '0'])).out, /these rows are one, as of/);
  assert.equal((await run(['check', '--data', to])).code, 0);
  const promoted = await startServer(context, ['--data', to, '--key', key]);
  await promoted.said(/This store was a standby: it has everything that its source acknowledged before/);
  const answer = await fetch(`${promoted.url}/v1/demo/drive/files/download?name=large`, {
    headers: { 'X-API-Key': key },
  });
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), Buffer.alloc(300_000, 'L'));
  await promoted.stop();
  server = await startServer(context, flags);
  const refused = await run(['copy', '--follow', '--from', folder, '--to', to]);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /holds something else, or a server was started on it/);
});

test('copy --follow refuses what cannot be a standby, and says why', async (context) => {
  const folder = await temporaryFolder(context);
  const of = ['--from', folder, '--to'];
  const nothing = await run(['copy', '--follow', ...of, join(folder, 'to')]);
  assert.match(nothing.err, /--from: there is no Basedrive store in/);
  const server = await startServer(context, ['--data', folder, '--keep-changes', '0s', '--key', key]);
  const expect = async (options: readonly string[], words: RegExp) => {
    const { code, err } = await run(['copy', '--follow', ...options]);
    assert.equal(code, 2);
    assert.match(err, words);
  };
  const to = await temporaryFolder(context);
  await expect([...of, to], /The source notes no changes: start its server without --keep-changes 0s/);
  assert.equal(await server.stop(), 0);
  await startServer(context, ['--data', folder, '--key', key]);
  await expect([...of, folder], /--from and --to have the same rows/);
  await expect([...of, to, '--verify'], /--verify: not with --follow/);
  const full = await temporaryFolder(context);
  await writeFile(join(full, 'letter.txt'), 'x');
  await expect([...of, full], /is not empty and holds no Basedrive store/);
  const other = await temporaryFolder(context);
  const used = await startServer(context, ['--data', other, '--key', key]);
  await expect([...of, other], /--to: The data folder .* is in use by another process/);
  await send(used, 'PUT', 'base/items', '{"items":[{"key":"a"}]}');
  assert.equal(await used.stop(), 0);
  await expect([...of, other], /The destination holds something else, or a server was started on it/);
});

/** The commands of the recipe of docs/feed.md, in which both places are in this folder. */
async function recipe(folder: string): Promise<string[][]> {
  const page = fileURLToPath(new URL('../../../../../docs/feed.md', import.meta.url));
  const [, section = ''] = (await readFile(page, 'utf8')).split('### A standby\n');
  return [...section.matchAll(/^basedrive (.*)$/gm)].map(([, line = '']) =>
    line.replaceAll('./', `${folder}/`).split(' '),
  );
}

test('the recipe of docs/feed.md makes a standby that serves everything when the first server is killed', async (context) => {
  const folder = await temporaryFolder(context);
  const [[, ...follow] = [], check = [], serve = []] = await recipe(folder);
  assert.deepEqual(follow.slice(0, 1), ['--follow']);
  const server = await startServer(context, ['--data', join(folder, 'data'), '--key', key]);
  const following = startFollowing(context, follow.slice(1));
  await fillServer(server);
  await following.even();
  await server.stop('SIGKILL');
  following.child.kill('SIGKILL');
  await following.ended;
  const checked = await run(check);
  assert.equal(checked.code, 0, checked.out);
  const promoted = await startServer(context, [...serve.slice(1), '--key', key]);
  for (const [path, body] of [
    ['base/items', '{"key":"a"}\n{"key":"b","__expires":4102444800}\n'],
    ['drive/files/download?name=small', 'small'],
    ['drive/files/download?name=large', 'l'.repeat(300_000)],
  ] as const) {
    const answer = await fetch(`${promoted.url}/v1/demo/${path}`, { headers: { 'X-API-Key': key } });
    assert.equal(await answer.text(), body);
  }
});
