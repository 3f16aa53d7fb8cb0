import assert from 'node:assert/strict';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { describe, type TestContext, test } from 'node:test';
import type { Reply } from '../../src/model/client.js';
import { bytesOf } from '../../src/random.js';
import {
  assertAllStored,
  assertDone,
  type FullDisk,
  fillUp,
  noDiskReason,
  openDisk,
  putFile,
  putItem,
  restart,
  untilRefused,
  untilTaken,
} from '../support/full-disk.js';

/** What a full disk has besides items and files. */
interface Extras {
  /** Its id, and the key itself. */
  readonly limited: { readonly id: string; readonly key: string };
  /** The path of a link to a file, made with that key. */
  readonly link: string;
  readonly uploadId: string;
}

const json = (reply: Reply) => JSON.parse(reply.body.toString());

async function prepare(full: FullDisk): Promise<Extras> {
  const { client } = full;
  assert.equal((await client.send('PUT', 'b/indexes/by-n', { fields: ['n'] })).status, 202);
  for (let n = 0; n < 40; n++) {
    assert.equal((await putItem(full, 50_000)).status, 207);
    assert.equal((await putFile(full, 50_000)).status, 201);
  }
  const limited = json(await client.send('POST', 'keys', { access: 'full' }));
  const uploadId = json(await client.send('POST', 'd/uploads?name=part')).upload_id;
  for (const part of [1, 2]) {
    const path = `d/uploads/${uploadId}/parts?name=part&part=${part}`;
    assert.equal((await client.send('POST', path, bytesOf(part, 1_000_000))).status, 200);
  }
  return { limited, uploadId, link: await makeLink(full, limited.key) };
}

async function makeLink({ client, files }: FullDisk, key: string): Promise<string> {
  const [name] = files.keys();
  const wanted = { name, method: 'GET', expires_in: 3600 };
  const made = await client.send('POST', 'd/links', wanted, { 'X-API-Key': key });
  assert.equal(made.status, 201, made.body.toString());
  return new URL(json(made).links[0].url).pathname;
}

async function statusOf({ disk }: FullDisk, path: string): Promise<number> {
  return (await fetch(`http://127.0.0.1:${disk.port}${path}`)).status;
}

function assertRefused(reply: Reply, { disk }: FullDisk): void {
  assert.equal(reply.status, 503, `${reply.body}\n${disk.printed()}`);
  assert.match(reply.body.toString(), /the disk is full/);
}

function assertMissing(reply: Reply, { disk }: FullDisk): void {
  assert.equal(reply.status, 503, reply.body.toString());
  assert.match(
    reply.body.toString(),
    /nothing can be written or deleted until \d+ MiB more of it are free/,
    disk.printed(),
  );
}

/** What puts something is refused with the reason; what takes something away is done. */
async function tryOperations(full: FullDisk, { limited, link, uploadId }: Extras): Promise<void> {
  const { client } = full;
  await untilRefused(() => putItem(full, 100_000));
  assertRefused(await client.send('POST', 'keys', { access: 'read' }), full);
  assertRefused(await client.send('PUT', 'b/indexes/another', { fields: ['m'] }), full);
  assertRefused(await client.send('POST', 'd/uploads?name=another'), full);
  assertRefused(
    await client.send('POST', `d/uploads/${uploadId}/parts?name=part&part=3`, bytesOf(3, 1_000_000)),
    full,
  );
  const another = await makeLink(full, limited.key);
  for (const path of [link, another]) assert.equal(await statusOf(full, path), 200);
  assertDone(await client.send('DELETE', `keys?id=${limited.id}`), full);
  for (const path of [link, another]) assert.equal(await statusOf(full, path), 403);
  assert.equal((await client.send('GET', 'keys', undefined, { 'X-API-Key': limited.key })).status, 401);
  assertDone(await client.send('DELETE', `d/uploads/${uploadId}?name=part`), full);
  assert.equal((await client.send('GET', `d/uploads/${uploadId}?name=part`)).status, 404);
  assertDone(await client.send('DELETE', 'b/indexes/by-n'), full);
  assert.deepEqual(json(await client.send('GET', 'b/indexes')).indexes, []);
}

/** Runs a command where the disk is mounted; gives its exit code and what it printed. */
async function commandOn(full: FullDisk, words: string): Promise<{ code: number; printed: string }> {
  const file = `${full.folder}.out`;
  await full.disk.run(`node "$MAIN" ${words} >${file} 2>&1; echo $? >>${file}`);
  const [, printed = '', code] = /^(.*?)(\d+)\n$/s.exec(await readFile(file, 'utf8')) ?? [];
  await rm(file);
  return { code: Number(code), printed };
}

async function besideDisk(context: TestContext, full: FullDisk): Promise<string> {
  const folder = `${full.folder}.beside`;
  await mkdir(folder);
  context.after(() => rm(folder, { recursive: true }));
  return folder;
}

/** Commands that read the store work, and what they made elsewhere is whole. */
async function tryCommands(full: FullDisk, beside: string): Promise<void> {
  const data = '--data "$DISK/data"';
  let doctor = await commandOn(full, `doctor ${data} --port 0`);
  // The server gives back the space of deleted rows when it likes: then the disk has room for what doctor tries.
  for (let attempts = 1; doctor.code === 0 && attempts < 5; attempts++) {
    await full.disk.run(fillUp);
    doctor = await commandOn(full, `doctor ${data} --port 0`);
  }
  assert.equal(doctor.code, 1, doctor.printed);
  assert.match(doctor.printed, /on a full disk, writes are answered 503/);
  assert.match(doctor.printed, /takes no file: ENOSPC.*\n.*Make room/);
  assert.match(doctor.printed, /ok +bytes/);
  const check = await commandOn(full, `check ${data}`);
  assert.equal(check.code, 0, check.printed);
  const exported = await commandOn(full, `export ${beside}/export ${data} --project full`);
  assert.equal(exported.code, 0, exported.printed);
  const copied = await commandOn(full, `copy --from "$DISK/data" --to ${beside}/copy --verify`);
  assert.equal(copied.code, 0, copied.printed);
  const checked = await commandOn(full, `check --data ${beside}/copy`);
  assert.equal(checked.code, 0, checked.printed);
  await rm(`${beside}/export`, { recursive: true });
  await rm(`${beside}/copy`, { recursive: true });
}

describe('on a full disk', { skip: noDiskReason ?? false }, () => {
  for (const isKilled of [false, true])
    test(`keys, uploads and indexes are taken away, and links made${isKilled ? ', after a kill' : ''}`, async (context) => {
      const full = await openDisk(context);
      const extras = await prepare(full);
      await full.disk.run(fillUp);
      if (isKilled) await restart(full);
      await tryOperations(full, extras);
      await assertAllStored(full);
      await restart(full);
      await assertAllStored(full);
      await full.disk.run('rm "$DISK"/filler*');
      await untilTaken(() => putItem(full, 10));
      await untilTaken(() => full.client.send('PUT', 'b/indexes/by-n', { fields: ['n'] }));
      const check = await commandOn(full, 'check --data "$DISK/data"');
      assert.equal(check.code, 0, check.printed);
    });

  test('a delete for which nothing is left says how many MiB are missing, and is done as soon as there are', async (context) => {
    const full = await openDisk(context);
    for (let n = 0; n < 30; n++) assert.equal((await putItem(full, 100_000)).status, 207);
    await full.disk.run(`rm "$DISK/data/rows/RESERVE"; ${fillUp}`);
    await untilRefused(() => putItem(full, 100_000));
    let refused = 0;
    for (const name of [...full.items.keys()].slice(0, 20)) {
      const deletes = Array.from({ length: 3 }, () => full.client.send('DELETE', `b/items/${name}`));
      for (const reply of await Promise.all(deletes)) {
        if (reply.status === 200) full.items.delete(name);
        else {
          refused++;
          assertMissing(reply, full);
        }
      }
    }
    assert.ok(refused > 0, 'the deletes needed no room');
    await assertAllStored(full);
    await full.disk.run('rm "$DISK"/filler*');
    await untilTaken(() => full.client.send('DELETE', 'b/items?all=true'));
    full.items.clear();
    await untilTaken(() => putItem(full, 10));
    await assertAllStored(full);
  });

  test('commands read the store, with a server and without one, with a reserve and without one', async (context) => {
    const full = await openDisk(context);
    const beside = await besideDisk(context, full);
    await prepare(full);
    await full.disk.run(fillUp);
    await tryCommands(full, beside);
    await full.disk.run('end || true');
    await tryCommands(full, beside);
    await full.disk.run(`rm -f "$DISK/data/rows/RESERVE"; ${fillUp}`);
    await tryCommands(full, beside);
    await restart(full);
    await assertAllStored(full);
    await tryCommands(full, beside);
    await full.disk.run('rm "$DISK"/filler*');
    await untilTaken(() => putItem(full, 10));
    await assertAllStored(full);
  });
});
