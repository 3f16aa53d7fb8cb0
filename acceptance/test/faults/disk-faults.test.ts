import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { type Client, createClient, type Reply } from '../../src/model/client.js';
import { bytesOf } from '../../src/random.js';
import { openSmallDisk, type SmallDisk, whyNoSmallDisk } from '../support/small-disk.js';

const key = 'faults_0123456789';
const reason = whyNoSmallDisk();
const hasStrace = spawnSync('strace', ['-V']).status === 0;
if (reason !== undefined && process.env.BASEDRIVE_REQUIRE_SMALL_DISK === '1') throw new Error(reason);
const largeFile = bytesOf(1, 300_000);

describe('a disk that fails', { skip: reason ?? false }, () => {
  let folder: string;
  let disk: SmallDisk;
  let client: Client;
  let count = 0;
  const stored = new Map<string, string>();
  /** Keys whose put was answered with 503. */
  const refused = new Set<string>();

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'basedrive-faults-'));
    disk = await openSmallDisk(folder, key, '64m');
    client = createClient(disk.port, key, 4);
  });
  after(async () => {
    client.close();
    await disk.close();
    await rm(folder, { recursive: true });
  });

  /** Puts an item of incompressible text, and remembers whether it was acknowledged. */
  async function put(size = 2000): Promise<Reply> {
    count++;
    const item = { key: `k${count}`, text: bytesOf(count, size).toString('base64') };
    const reply = await client.send('PUT', 'b/items', { items: [item] });
    if (reply.status === 207) stored.set(item.key, item.text);
    else refused.add(item.key);
    return reply;
  }

  async function traceServer(injected: string): Promise<void> {
    await disk.run(`strace -qq -f -p $SERVER -e inject=${injected} -o /dev/null & TRACER=$!`);
    await disk.run('until grep -q "TracerPid:.*[1-9]" /proc/$SERVER/status; do sleep 0.05; done');
  }

  const endTrace = () => disk.run('kill $TRACER; wait $TRACER || true');

  const putFile = (name: string) => client.send('POST', `d/files?name=${name}`, largeFile);
  const getFile = (name: string) => client.send('GET', `d/files/download?name=${name}`);

  async function untilRefused(write: () => Promise<Reply>): Promise<Reply> {
    for (let tries = 0; tries < 2000; tries++) {
      const reply = await write();
      if (reply.status === 503) return reply;
      assert.ok(reply.status < 300, `${reply.status} ${reply.body}`);
    }
    assert.fail('no write was refused');
  }

  async function untilTaken(write: () => Promise<Reply>): Promise<void> {
    const endMs = performance.now() + 20_000;
    for (;;) {
      const reply = await write();
      if (reply.status < 300) return;
      assert.equal(reply.status, 503, reply.body.toString());
      assert.ok(performance.now() < endMs, 'writes are still refused');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function assertAllStored(): Promise<void> {
    for (const [name, text] of stored) {
      const { status, body } = await client.send('GET', `b/items/${name}`);
      assert.equal(status, 200, name);
      assert.equal((JSON.parse(body.toString()) as { text: string }).text, text);
    }
    for (const name of refused) {
      assert.equal((await client.send('GET', `b/items/${name}`)).status, 404, `${name} was refused`);
    }
  }

  function assertRefusal(reply: Reply): void {
    const { errors } = JSON.parse(reply.body.toString()) as { errors: string[] };
    assert.match(errors.join(), /storage/i);
  }

  async function assertReadsGoOn(): Promise<void> {
    await assertAllStored();
    assert.ok((await getFile('kept')).body.equals(largeFile));
    assert.equal((await client.send('POST', 'b/query', { limit: 5 })).status, 200);
    assert.equal((await client.send('GET', 'd/files')).status, 200);
  }

  async function assertAllThereAfterRestart(): Promise<void> {
    client.close();
    await disk.restart();
    client = createClient(disk.port, key, 4);
    await assertReadsGoOn();
  }

  test('on a full disk, writes are answered with 503 and reads work; writes work again when there is space', async () => {
    assert.equal((await putFile('kept')).status, 201);
    for (let n = 0; n < 50; n++) assert.equal((await put()).status, 207);
    await disk.run('dd if=/dev/zero of="$DISK/filler" bs=1M 2>/dev/null; test -s "$DISK/filler"');
    assertRefusal(await untilRefused(() => put(100_000)));
    assertRefusal(await untilRefused(() => putFile(`f${++count}`)));
    await assertReadsGoOn();
    await disk.run('rm "$DISK/filler"');
    await untilTaken(() => put());
    await untilTaken(() => putFile('after'));
    await assertAllThereAfterRestart();
  });

  async function assertUnready(message: RegExp): Promise<void> {
    const { status, errors = [] } = await untilReadinessIs(503);
    assert.equal(status, 503);
    assert.match(errors.join(), message);
  }

  /** An answer of `GET /ready` is given again for a second. */
  async function untilReadinessIs(wanted: number): Promise<{ status: number; errors?: string[] }> {
    const endMs = performance.now() + 20_000;
    for (;;) {
      const answer = await fetch(`http://127.0.0.1:${disk.port}/ready`);
      const body = (await answer.json()) as { errors?: string[] };
      if (answer.status === wanted || performance.now() > endMs) return { ...body, status: answer.status };
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  test('while another folder is in the place of the data folder, writes and `GET /ready` are answered with 503 and say so', async () => {
    assert.equal((await untilReadinessIs(200)).status, 200);
    await disk.run('mv "$DISK/data" "$DISK/away"; cp -r "$DISK/away" "$DISK/data"');
    await assertUnready(/rows cannot be written: the data folder was moved, removed or replaced/);
    const refusal = await put();
    assertRefusal(refusal);
    assert.match(refusal.body.toString(), /the data folder was moved, removed or replaced/);
    await assertAllStored();
    await disk.run('rm -r "$DISK/data"; mv "$DISK/away" "$DISK/data"');
    assert.equal((await untilReadinessIs(200)).status, 200);
    await untilTaken(() => put());
    await assertAllThereAfterRestart();
  });

  test('while the data folder is missing, writes are answered with 503 and go nowhere else; they work again when it is back', async () => {
    await disk.run('mv "$DISK/data" "$DISK/away"');
    assertRefusal(await put());
    assertRefusal(await putFile('nowhere'));
    await assertUnready(/moved, removed or replaced/);
    await assertAllStored();
    await disk.run('test ! -e "$DISK/data"');
    await disk.run('mv "$DISK/away" "$DISK/data"');
    await untilTaken(() => put());
    await untilTaken(() => putFile('back'));
    await assertAllThereAfterRestart();
  });

  test('without free file handles, writes of files are answered with 503; they work again when there are some', async () => {
    await put();
    await disk.run('prlimit --pid $SERVER --nofile=8:4096');
    assertRefusal(await putFile('no-handle'));
    await assertAllStored();
    await disk.run('prlimit --pid $SERVER --nofile=4096:4096');
    await untilTaken(() => putFile('handle'));
    await untilTaken(() => put());
    await assertAllThereAfterRestart();
  });

  test('on a read-only disk, writes are answered with 503 and reads work; writes work again when it is writable', {
    skip: hasStrace ? false : 'strace is not installed',
  }, async () => {
    // To the server, a disk that the kernel has remounted read-only shows in the errors of its system calls.
    await traceServer('fsync,fdatasync,rename,unlink,mkdir:error=EROFS');
    assertRefusal(await put());
    assertRefusal(await putFile('read-only'));
    await assertReadsGoOn();
    assertRefusal(await put());
    await endTrace();
    await untilTaken(() => put());
    await untilTaken(() => putFile('writable'));
    await assertAllThereAfterRestart();
  });

  test('a write that was answered with 503 is never seen: not by readers at that time, not after a later write', {
    skip: hasStrace ? false : 'strace is not installed',
  }, async () => {
    const path = 'b/items/counter';
    const write = (n: number) => client.send('PUT', 'b/items', { items: [{ key: 'counter', n }] });
    const refusedNumbers = new Set<number>();
    const seen = new Map<number, number>();
    let reads = 0;
    await untilTaken(() => write(0));
    await traceServer('fdatasync:error=EIO:when=3+12');
    let isOver = false;
    const read = async () => {
      while (!isOver) {
        const { status, body } = await client.send('GET', path);
        if (status === 503) continue;
        assert.equal(status, 200);
        const { n } = JSON.parse(body.toString()) as { n: number };
        seen.set(n, (seen.get(n) ?? 0) + 1);
        reads++;
      }
    };
    const readers = [read(), read()];
    let last = 0;
    try {
      for (let n = 1; refusedNumbers.size < 20 || reads < 500; n++) {
        const { status } = await write(n);
        if (status === 503) refusedNumbers.add(n);
        else last = n;
        assert.ok(n < 20_000, `${refusedNumbers.size} of ${n} writes were refused, ${reads} reads`);
      }
    } finally {
      isOver = true;
      await Promise.all(readers);
      await endTrace();
    }
    const wrong = [...seen].filter(([n]) => refusedNumbers.has(n));
    const wrongReads = wrong.reduce((sum, [, count]) => sum + count, 0);
    assert.equal(wrongReads, 0, `${wrongReads} of ${reads} reads showed a refused write`);
    await untilTaken(() => put());
    const { body } = await client.send('GET', path);
    assert.equal((JSON.parse(body.toString()) as { n: number }).n, last);
    await assertAllThereAfterRestart();
  });

  test('a write that was answered with 503 is not done after the server was killed and started again', {
    skip: hasStrace ? false : 'strace is not installed',
  }, async () => {
    await traceServer('fdatasync:error=EIO');
    assertRefusal(await put());
    assertRefusal(await put());
    await endTrace();
    await assertAllThereAfterRestart();
    await untilTaken(() => put());
    await assertAllThereAfterRestart();
  });

  test('a write that is refused while the rows begin another log is never seen', {
    skip: hasStrace ? false : 'strace is not installed',
  }, async () => {
    // Only folders are synced by fsync: the entry of a new log cannot be put on stable storage.
    await traceServer('fsync:error=EIO');
    await untilRefused(() => put(250_000));
    for (let n = 0; n < 3; n++) {
      for (const name of refused) {
        const { status } = await client.send('GET', `b/items/${name}`);
        assert.ok(status === 404 || status === 503, `${name}: ${status}`);
      }
      assertRefusal(await put());
    }
    await endTrace();
    await untilTaken(() => put());
    await assertAllStored();
    await assertAllThereAfterRestart();
  });
});
