import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { openFsBlobStore } from '../../src/engines/fs/store.js';
import { openLevelStore } from '../../src/engines/level/store.js';
import type { CopyReport } from '../../src/store/copy/report.js';
import { blobsOf, rowsOf } from './copy-fixture.js';
import { type RunningServer, run, startServer, temporaryFolder } from './run-cli.js';

export const key = 'demo_s3cret';
export const mib = 1024 * 1024;

export async function send(server: RunningServer, method: string, path: string, body?: string | Buffer) {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  const answer = await fetch(`${server.url}/v1/demo/${path}`, { method, headers, body: body ?? null });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return (await answer.json()) as { upload_id: string };
}

/** Items with and without expiry, files of every layout, an open upload. */
export async function fillServer(server: RunningServer): Promise<void> {
  await send(server, 'PUT', 'base/items', '{"items":[{"key":"a"},{"key":"b","__expires":4102444800}]}');
  await send(server, 'POST', 'drive/files?name=small', 'small');
  await send(server, 'POST', 'drive/files?name=large', Buffer.alloc(300_000, 'l'));
  for (const name of ['joined', 'open']) {
    const { upload_id: id } = await send(server, 'POST', `drive/uploads?name=${name}`);
    await send(server, 'POST', `drive/uploads/${id}/parts?name=${name}&part=1`, Buffer.alloc(5 * mib, 'p'));
    await send(server, 'POST', `drive/uploads/${id}/parts?name=${name}&part=2`, Buffer.from('tail'));
    if (name === 'joined') await send(server, 'PATCH', `drive/uploads/${id}?name=${name}`);
  }
}

export async function filledFolder(context: TestContext): Promise<string> {
  const folder = await temporaryFolder(context);
  const server = await startServer(context, ['--data', folder, '--key', key]);
  await fillServer(server);
  assert.equal(await server.stop(), 0);
  return folder;
}

export async function copyJson(
  options: readonly string[],
  variables: NodeJS.ProcessEnv = {},
): Promise<CopyReport & { code: number | null }> {
  const { code, out, err } = await run(['copy', '--json', ...options], variables);
  assert.notEqual(out, '', err);
  return { ...(JSON.parse(out) as CopyReport), code };
}

/** All rows and blobs of a stopped server's folder. */
export async function contentOf(folder: string, blobFolder = join(folder, 'blobs')) {
  const items = await openLevelStore({ folder: join(folder, 'rows'), create: true });
  try {
    const store = { items, blobs: await openFsBlobStore(blobFolder) };
    const blobs = await blobsOf(store);
    blobs.delete('f'.repeat(32));
    return [await rowsOf(store), blobs];
  } finally {
    await items.close();
  }
}

/** The names of the files of a stopped server's folder. */
export async function namesIn(folder: string): Promise<string[]> {
  const items = await openLevelStore({ folder: join(folder, 'rows'), create: false });
  try {
    const names: string[] = [];
    for await (const batch of items.scan('drive/demo/drive', { prefix: 'name/' })) {
      names.push(...batch.map((row) => row.key.slice('name/'.length)));
    }
    return names;
  } finally {
    await items.close();
  }
}
