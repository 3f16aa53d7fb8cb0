import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { readSettings } from '../../../../src/config/read-settings.js';
import { readBlock, readFooter, readIndex } from '../../../../src/engines/level/format/table.js';
import { openLevelStore } from '../../../../src/engines/level/store.js';
import { openMemoryBlobStore } from '../../../../src/engines/memory/blob-store.js';
import { createKeyRing } from '../../../../src/keys/key-ring.js';
import { openProjectRegistry } from '../../../../src/projects/project-registry.js';
import { createApp } from '../../../../src/server/app.js';
import { filesOf, openStore } from '../../../support/level-folder.js';
import { servedApp } from '../../../support/served-app.js';

const count = 2000;
const keys = Array.from({ length: count }, (_, n) => `k${String(n).padStart(5, '0')}`);
const names = keys.map((key) => `f/${key}`);
const apiKey = 'demo_s3cret';

async function serve(folder: string, create: boolean) {
  const items = await openLevelStore({ folder, create });
  const keyRing = await createKeyRing(items, [apiKey], Date.now);
  const app = createApp({
    items,
    blobs: openMemoryBlobStore(),
    keys: keyRing,
    projects: await openProjectRegistry(items),
    settings: { ...readSettings({}, {}), uploadTtlMs: 3_600_000 },
    clock: Date.now,
    log: { info() {}, error() {} },
  });
  const served = await servedApp(app);
  const root = `${served.origin}/v1/demo`;
  return {
    items,
    keyRing,
    async send(method: string, path: string, body?: string | object, key = apiKey) {
      const text = body !== undefined && typeof body !== 'string';
      const type = text ? 'application/json' : 'application/x-ndjson';
      const headers = { 'X-API-Key': key, 'Content-Type': type };
      const given = body === undefined ? {} : { body: text ? JSON.stringify(body) : body };
      return await fetch(root + path, { method, headers, ...given });
    },
    async close() {
      await served.close();
      await items.close();
    },
  };
}

/** Text that LevelDB cannot compress, so that the rows have many blocks. */
function textOf(n: number): string {
  let state = n * 7919 + 1;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * 36).toString(36);
  };
  return Array.from({ length: 200 }, next).join('');
}

/** Flips a bit in the block of each of these rows. Gives the rows of the blocks. */
async function damage(folder: string, rowKeys: readonly string[]): Promise<readonly string[]> {
  const lost: string[] = [];
  for (const table of await filesOf(folder, '.ldb')) {
    const bytes = await readFile(table);
    for (const { handle } of readIndex(bytes, readFooter(bytes)[1])) {
      const rows = readBlock(bytes, handle).map(({ key }) => key.subarray(0, -8).toString());
      if (!rows.some((row) => rowKeys.includes(row))) continue;
      const at = handle.offset + Math.floor(handle.size / 2);
      bytes[at] = (bytes[at] as number) ^ 4;
      lost.push(...rows);
    }
    // In place: LevelDB has the file mapped.
    await writeFile(table, bytes, { flag: 'r+' });
  }
  return lost;
}

interface Told {
  readonly codes: readonly [{ readonly code: string; readonly until?: string }];
}

/** docs/http.md#error-codes */
describe('what a client is told of damage', () => {
  let service: Awaited<ReturnType<typeof serve>>;
  let folder: string;
  let lost: readonly string[];
  const itemRow = (key: string) => `base/demo/b\0${key}`;
  const nameRow = (name: string) => `drive/demo/d\0name/${name}`;
  const places = [500, 1300].flatMap((n) => [itemRow(keys[n] as string), nameRow(names[n] as string)]);
  const last = itemRow(keys.at(-1) as string);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'basedrive-told-'));
    service = await serve(folder, true);
    const lines = keys.map((key, n) => `${JSON.stringify({ key, text: textOf(n) })}\n`).join('');
    assert.equal((await service.send('PUT', '/b/items', lines)).status, 200);
    const puts = names.map((name, n) => ({
      key: `name/${name}`,
      value: Buffer.from(
        JSON.stringify({ id: `i${n}`, layout: 'row', sizeBytes: 1, contentType: textOf(n), modifiedMs: 1 }),
      ),
    }));
    await service.items.transact('drive/demo/d', [], () => ({ puts, result: undefined }));
    await service.close();
    // Opening writes the log's rows into a table.
    await (await openStore(folder)).close();
    service = await serve(folder, false);
    lost = await damage(folder, [...places, last]);
    for await (const _ of service.items.verify?.({ filesOnly: true }) ?? []);
  });
  after(async () => {
    await service.close();
    await rm(folder, { recursive: true });
  });

  /** Reads one by one, and goes on where the service says that the damage ends. */
  async function readAround(
    read: (last: string) => Promise<Response>,
    keyIn: (answer: never) => string | undefined,
  ) {
    const found: string[] = [];
    let stops = 0;
    for (let from = ''; ; ) {
      const answer = await read(from);
      if (answer.ok) {
        const key = keyIn((await answer.json()) as never);
        if (key === undefined) return { found, stops };
        found.push(key);
        from = key;
        continue;
      }
      const [{ code, until }] = ((await answer.json()) as Told).codes;
      assert.equal(code, 'damaged_data');
      stops++;
      if (until === undefined) return { found, stops };
      assert.ok(until > from, until);
      from = until;
    }
  }

  /** Nothing but what a damaged block had is not found, and of each stretch of it the row before, after which it is named. */
  function assertAllBut(
    found: readonly string[],
    all: readonly string[],
    rowOf: (key: string) => string,
  ): void {
    const missing = all.filter((key) => !found.includes(key));
    const needless = missing.filter((key) => !lost.includes(rowOf(key)));
    assert.ok(needless.length <= 3, needless.join());
    for (const key of needless) assert.ok(lost.includes(rowOf(all[all.indexOf(key) + 1] as string)), key);
    assert.ok(missing.length < 120, `${missing.length}`);
  }

  test('of items: where it ends, so that everything outside is read', async () => {
    const { found, stops } = await readAround(
      (from) => service.send('POST', '/b/query', { limit: 1, last: from, select: [] }),
      ({ items }: { items: { key: string }[] }) => items[0]?.key,
    );
    assertAllBut(found, keys, itemRow);
    assert.equal(stops, 3);
  });

  test('of names: the same', async () => {
    const { found, stops } = await readAround(
      (from) => service.send('GET', `/d/files?limit=1&last=${encodeURIComponent(from)}`),
      ({ names: [first] }: { names: string[] }) => first,
    );
    assertAllBut(found, names, nameRow);
    // The last item is in one block with the first names.
    assert.equal(stops, 3);
  });

  test('of a range: nothing of what is beyond it', async () => {
    const query = (key?: string, condition = {}) =>
      service.send('POST', '/b/query', { query: condition, select: [] }, key);
    const toldOf = async (answer: Response) => ((await answer.json()) as Told).codes[0].until;
    const until = (await toldOf(await query(undefined, { 'key?r': [keys[450], keys[700]] }))) ?? '';
    assert.ok(until >= (keys[500] as string) && until < (keys[560] as string), until);
    assert.equal(await toldOf(await query(undefined, { 'key?r': [keys[450], keys[500]] })), undefined);
    const prefix = keys[500]?.slice(0, -1) as string;
    const { key } = await service.keyRing.create('demo', { access: 'read', prefix });
    const within = await query(key);
    assert.equal(within.status, 500);
    const told = await toldOf(within);
    assert.ok(told === undefined || told.startsWith(prefix), told);
  });

  test('an export gives what comes before damage, also where the last item is damaged', async () => {
    const answer = await service.send('GET', `/b/items?last=${keys[1500]}`);
    assert.equal(answer.status, 200);
    let text = '';
    await assert.rejects(async () => {
      for await (const chunk of answer.body as AsyncIterable<Uint8Array>)
        text += Buffer.from(chunk).toString();
    });
    assert.ok(text.split('\n').length > 300, text.slice(-100));
  });
});
