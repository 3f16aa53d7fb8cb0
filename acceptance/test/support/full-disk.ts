import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Client, createClient, type Reply } from '../../src/model/client.js';
import { bytesOf } from '../../src/random.js';
import { openSmallDisk, type SmallDisk, whyNoSmallDisk } from './small-disk.js';

export const key = 'full_0123456789';
/** Why no disk can be filled here; undefined if one can. */
export const noDiskReason = whyNoSmallDisk();
if (noDiskReason !== undefined && process.env.BASEDRIVE_REQUIRE_SMALL_DISK === '1')
  throw new Error(noDiskReason);
const size = '64m';

/** A server on a small disk, and what it has acknowledged. */
export interface FullDisk {
  readonly folder: string;
  readonly disk: SmallDisk;
  client: Client;
  readonly items: Map<string, string>;
  readonly files: Map<string, Buffer>;
  /** Keys of items whose put was answered with 503. */
  readonly refused: Set<string>;
}

export async function openDisk(context: TestContext): Promise<FullDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-full-'));
  const disk = await openSmallDisk(folder, key, size);
  const full = {
    folder,
    disk,
    client: createClient(disk.port, key, 4),
    items: new Map(),
    files: new Map(),
    refused: new Set<string>(),
  };
  context.after(async () => {
    full.client.close();
    await disk.close();
    await rm(folder, { recursive: true });
  });
  await disk.run('until test -s "$DISK/data/rows/RESERVE"; do sleep 0.05; done');
  return full;
}

export async function restart(full: FullDisk): Promise<void> {
  full.client.close();
  await full.disk.restart();
  full.client = createClient(full.disk.port, key, 4);
}

let count = 0;

export async function putItem({ client, items, refused }: FullDisk, bytes: number): Promise<Reply> {
  const item = { key: `k${++count}`, n: count, text: bytesOf(count, bytes).toString('base64') };
  const reply = await client.send('PUT', 'b/items', { items: [item] });
  if (reply.status === 207) items.set(item.key, item.text);
  else refused.add(item.key);
  return reply;
}

export async function putFile({ client, files }: FullDisk, bytes: number): Promise<Reply> {
  const name = `f${++count}`;
  const content = bytesOf(count, bytes);
  const reply = await client.send('POST', `d/files?name=${name}`, content);
  if (reply.status === 201) files.set(name, content);
  return reply;
}

export async function untilRefused(write: () => Promise<Reply>): Promise<Reply> {
  for (let tries = 0; tries < 5000; tries++) {
    const reply = await write();
    if (reply.status === 503) return reply;
    assert.ok(reply.status < 300, `${reply.status} ${reply.body}`);
  }
  assert.fail('no write was refused');
}

/** Writes until the server calls itself full: a compaction may make room after a write was refused. */
export async function untilFull(full: FullDisk): Promise<{ readonly refusal: Reply; readonly text: string }> {
  for (;;) {
    const refusal = await untilRefused(() => putItem(full, 30_000));
    const { status, text } = await ready(full.disk.port);
    if (status === 503) return { refusal, text };
  }
}

export async function untilTaken(write: () => Promise<Reply>): Promise<void> {
  const endMs = performance.now() + 30_000;
  for (;;) {
    const reply = await write();
    if (reply.status < 300) return;
    assert.equal(reply.status, 503, reply.body.toString());
    assert.ok(performance.now() < endMs, `writes are still refused: ${reply.body}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Files and items until none is taken any more, and then small ones. */
export async function fill(full: FullDisk, { largest }: { largest: 'files' | 'items' }): Promise<void> {
  for (let n = 0; n < 20; n++) {
    await untilTaken(() => putItem(full, 2000));
    await untilTaken(() => putFile(full, 20_000));
  }
  const writes = [() => putFile(full, 300_000), () => putItem(full, 250_000)];
  if (largest === 'items') writes.reverse();
  for (const write of writes) await untilRefused(write);
  // Compaction may make room again, so that some of these are taken.
  for (const bytes of [30_000, 3000, 300]) {
    for (let n = 0; n < 20; n++) {
      await putFile(full, bytes);
      await putItem(full, bytes);
    }
  }
}

export async function assertAllStored({ client, items, files, refused }: FullDisk): Promise<void> {
  for (const [name, text] of items) {
    const { status, body } = await client.send('GET', `b/items/${name}`);
    assert.equal(status, 200, `${name}: ${body}`);
    assert.equal((JSON.parse(body.toString()) as { text: string }).text, text);
  }
  for (const name of refused) {
    assert.equal((await client.send('GET', `b/items/${name}`)).status, 404, `${name} was refused`);
  }
  for (const [name, content] of files) {
    const { status, body } = await client.send('GET', `d/files/download?name=${name}`);
    assert.equal(status, 200, `${name}: ${body.subarray(0, 300)}`);
    assert.ok(body.equals(content), name);
  }
  assert.equal((await client.send('POST', 'b/query', { limit: 5 })).status, 200);
  assert.equal((await client.send('GET', 'd/files')).status, 200);
}

/** `disk`: of which to show what the server has printed. */
export function assertDone(reply: Reply, { disk }: Pick<FullDisk, 'disk'>): void {
  assert.equal(reply.status, 200, `${reply.body}\n${disk.printed()}`);
}

export function firstOf<T>(stored: Map<string, T>, many: number): string[] {
  const names = [...stored.keys()].slice(0, many);
  for (const name of names) stored.delete(name);
  return names;
}

export async function deleteFiles(full: FullDisk, many: number): Promise<void> {
  const { client, files } = full;
  const names = firstOf(files, many);
  const reply = await client.send('DELETE', 'd/files', { names });
  assertDone(reply, full);
  assert.deepEqual((JSON.parse(reply.body.toString()) as { deleted: string[] }).deleted, names);
}

export async function deleteItem(full: FullDisk): Promise<void> {
  const { client, items } = full;
  const [name = ''] = firstOf(items, 1);
  assertDone(await client.send('DELETE', `b/items/${name}`), full);
}

async function ready(port: number): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}/ready`);
  return { status: answer.status, text: await answer.text() };
}

export async function untilReady(port: number, wanted: number): Promise<string> {
  const endMs = performance.now() + 30_000;
  for (;;) {
    const { status, text } = await ready(port);
    if (status === wanted) return text;
    assert.ok(performance.now() < endMs, `${status} ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Takes all that is left, in two sizes: a file system may have no large piece any more. */
export const fillUp =
  'for S in 1M 4k; do dd if=/dev/zero of="$DISK/filler$((N=N+1))" bs=$S 2>/dev/null; test -e "$DISK/filler$N"; done';
