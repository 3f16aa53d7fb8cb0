import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { Basedrive, type Drive, type GetFileProgress } from '../../src/in-node.js';
import {
  cutOff,
  type FakeService,
  fakeService,
  halfAnswer,
  json,
  type Reaction,
  silence,
} from '../support/fake-service.js';

const mib = 1024 * 1024;
const upload = { upload_id: 'u1' };

/** A file API that stores nothing. A test names the requests that get another reaction: `POST`, `PATCH`, `part 2` … */
async function fakeDrive(
  t: TestContext,
  special: Record<string, Reaction[]>,
): Promise<FakeService & { drive: Drive }> {
  const service = await fakeService(t, (response, request) => {
    const part = new URL(request.path, 'http://x').searchParams.get('part');
    const reaction = special[part === null ? request.method : `part ${part}`]?.shift();
    (reaction ?? json(part === null && request.method === 'POST' ? 202 : 200, upload))(response, request);
  });
  const drive = Basedrive('demo_s3cret', { url: service.url, retry: { firstDelayMs: 1, times: 2 } }).Drive(
    'd',
  );
  return { ...service, drive };
}

const sent = ({ seen }: FakeService) =>
  seen.map(({ method, path }) => `${method} ${path.replace('/v1/demo/d/', '')}`);
const parts = ({ seen }: FakeService, part: number) =>
  seen.filter(({ path }) => path.endsWith(`&part=${part}`));
const busy = json(503, { errors: ['busy'] });

/**
 * The upload was dropped once and not ended. This need not be the last request: the service may read a part that was cut
 * off later, because it came on another connection.
 */
function assertDropped(service: FakeService): void {
  const ends = sent(service).filter((line) => /^(DELETE|PATCH) /.test(line));
  assert.deepEqual(ends, ['DELETE uploads/u1?name=f']);
}

// One after the other: together they send 200 MiB, and on a slow machine a time limit of a test would end too soon.
describe('an upload in parts', () => {
  test('an upload sends each part once, with its bytes and the content type, and ends', async (t) => {
    const service = await fakeDrive(t, {});
    const bytes = Buffer.alloc(21 * mib, 'x');
    bytes.fill('y', 10 * mib, 15 * mib);
    await service.drive.put('a b', bytes, { contentType: 'text/css' });
    const [begun, ...rest] = sent(service);
    assert.equal(begun, 'POST uploads?name=a%20b');
    assert.equal(rest.at(-1), 'PATCH uploads/u1?name=a%20b');
    assert.deepEqual(
      rest.slice(0, -1).sort(),
      [1, 2, 3, 4].map((part) => `POST uploads/u1/parts?name=a%20b&part=${part}`),
    );
    assert.equal(service.seen[0]?.headers['content-type'], 'text/css');
    const stored = [1, 2, 3, 4].map((part) => parts(service, part)[0]?.body as Buffer);
    assert.deepEqual(
      stored.map(({ length }) => length / mib),
      [10, 5, 5, 1],
    );
    assert.ok(Buffer.concat(stored).equals(bytes));
  });

  test('a part, the first request and the last request are repeated after every kind of failure', async (t) => {
    const service = await fakeDrive(t, {
      POST: [cutOff, busy],
      'part 1': [cutOff],
      'part 2': [busy, halfAnswer],
      PATCH: [busy],
    });
    await service.drive.put('f', new Uint8Array(15 * mib));
    assert.equal(parts(service, 1).length, 2);
    assert.equal(parts(service, 2).length, 3);
    assert.ok(parts(service, 2).every(({ body }) => body.length === 5 * mib));
    assert.equal(sent(service).filter((line) => line.startsWith('PATCH')).length, 2);
  });

  test('if the answer to the end of an upload was lost and the upload is then unknown, the file is stored', async (t) => {
    const gone = json(404, { errors: ['Upload not found'] });
    const lost = await fakeDrive(t, { PATCH: [cutOff, gone] });
    await lost.drive.put('f', new Uint8Array(11 * mib));
    assert.equal(sent(lost).at(-1), 'PATCH uploads/u1?name=f');
    const unknown = await fakeDrive(t, { PATCH: [gone] });
    await assert.rejects(unknown.drive.put('f', new Uint8Array(11 * mib)), { code: 'not_found' });
    const busyFirst = await fakeDrive(t, { PATCH: [busy, gone] });
    await assert.rejects(busyFirst.drive.put('f', new Uint8Array(11 * mib)), { code: 'not_found' });
  });

  test('an upload whose part is refused is dropped with the parts in flight, and rejects with the reason', async (t) => {
    const closed: Promise<unknown>[] = [];
    const hang: Reaction = (response) => closed.push(once(response, 'close'));
    const service = await fakeDrive(t, {
      'part 1': [hang],
      'part 2': [hang],
      'part 3': [json(400, { errors: ['part: no'] })],
    });
    await assert.rejects(service.drive.put('f', new Uint8Array(40 * mib), { concurrency: 3 }), {
      code: 'refused',
      message: 'part: no',
    });
    await Promise.all(closed);
    assertDropped(service);
    assert.equal(parts(service, 5).length, 0);
  });

  test('an upload that is aborted is dropped, and its stream is cancelled', async (t) => {
    const controller = new AbortController();
    const service = await fakeDrive(t, { 'part 2': [() => controller.abort()] });
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (stream) => stream.enqueue(new Uint8Array(mib)),
      cancel: () => {
        cancelled = true;
      },
    });
    await assert.rejects(service.drive.put('f', endless, { signal: controller.signal }), { code: 'aborted' });
    assertDropped(service);
    assert.ok(cancelled);
  });

  test('an upload that failed is resumed: only what the service does not have is sent', async (t) => {
    const special: Record<string, Reaction[]> = { 'part 3': [json(400, { errors: ['part: no'] })] };
    const service = await fakeDrive(t, special);
    const bytes = new Uint8Array(20 * mib);
    const opened: string[] = [];
    const resume = { onOpen: (id: string) => void opened.push(id) };
    await assert.rejects(service.drive.put('f', bytes, { concurrency: 1, resume }), { message: 'part: no' });
    assert.deepEqual(opened, ['u1']);
    assert.deepEqual(
      sent(service).filter((line) => line.startsWith('DELETE')),
      [],
    );

    service.seen.length = 0;
    const stored = [
      { part: 1, size: 10 * mib, etag: '"1"' },
      { part: 2, size: 4 * mib, etag: '"2"' },
    ];
    special.GET = [json(200, { upload_id: 'u1', parts: stored })];
    const progress: number[] = [];
    const onProgress = ({ sent: bytesSent }: { sent: number }) => void progress.push(bytesSent);
    await service.drive.put('f', bytes, {
      concurrency: 1,
      onProgress,
      resume: { uploadId: 'u1', onOpen: assert.fail },
    });
    assert.deepEqual(sent(service), [
      'GET uploads/u1?name=f',
      'POST uploads/u1/parts?name=f&part=2',
      'POST uploads/u1/parts?name=f&part=3',
      'PATCH uploads/u1?name=f',
    ]);
    assert.deepEqual(progress, [10 * mib, 15 * mib, 20 * mib]);
  });

  test('an upload that the service has dropped meanwhile is opened anew', async (t) => {
    const service = await fakeDrive(t, { GET: [json(404, { errors: ['Upload not found'] })] });
    const opened: string[] = [];
    const resume = { uploadId: 'u0', onOpen: (id: string) => void opened.push(id) };
    await service.drive.put('f', new Uint8Array(12 * mib), { concurrency: 1, resume });
    assert.deepEqual(sent(service), [
      'GET uploads/u0?name=f',
      'POST uploads?name=f',
      'POST uploads/u1/parts?name=f&part=1',
      'POST uploads/u1/parts?name=f&part=2',
      'PATCH uploads/u1?name=f',
    ]);
    assert.deepEqual(opened, ['u1']);
  });

  test('an upload that is aborted while the service opens it is dropped as soon as its id is known', async (t) => {
    const controller = new AbortController();
    const service = await fakeDrive(t, {
      POST: [
        (response, request) => {
          controller.abort();
          setTimeout(() => json(202, upload)(response, request), 50);
        },
      ],
    });
    const { signal } = controller;
    await assert.rejects(service.drive.put('f', new Uint8Array(12 * mib), { signal }), { code: 'aborted' });
    assert.deepEqual(sent(service), ['POST uploads?name=f', 'DELETE uploads/u1?name=f']);
  });

  test('the request that drops an upload is sent again when the service is busy or the answer is lost', async (t) => {
    const service = await fakeDrive(t, {
      'part 1': [json(400, { errors: ['part: no'] })],
      DELETE: [cutOff, busy],
    });
    await assert.rejects(service.drive.put('f', new Uint8Array(12 * mib)), { code: 'refused' });
    assert.deepEqual(
      sent(service).filter((line) => line.startsWith('DELETE')),
      Array(3).fill('DELETE uploads/u1?name=f'),
    );
  });

  test('an upload that takes longer than its timeoutMs is dropped', async (t) => {
    const service = await fakeDrive(t, { 'part 1': [silence], 'part 2': [silence] });
    await assert.rejects(service.drive.put('f', new Uint8Array(12 * mib), { timeoutMs: 2500 }), {
      code: 'timeout',
    });
    assertDropped(service);
  });

  test('an upload whose source fails is dropped, and rejects with the error of the source', async (t) => {
    const service = await fakeDrive(t, {});
    async function* broken() {
      yield new Uint8Array(17 * mib);
      throw new RangeError('mine');
    }
    await assert.rejects(service.drive.put('f', broken()), RangeError);
    assertDropped(service);
    async function* wrong() {
      yield 7 as never;
    }
    await assert.rejects(service.drive.put('f', wrong()), { code: 'invalid' });
  });

  test('an upload whose source gives nothing ends when it is aborted or a part fails', async (t) => {
    for (const what of ['signal', 'part']) {
      const controller = new AbortController();
      const fail = json(400, { errors: ['part: no'] });
      const service = await fakeDrive(t, { 'part 2': [what === 'part' ? fail : () => controller.abort()] });
      let cancelled = false;
      let given = 0;
      const stalled = new ReadableStream<Uint8Array>({
        // After 16 MiB it hangs.
        pull: (stream) => (given++ < 16 ? stream.enqueue(new Uint8Array(mib)) : new Promise(() => {})),
        cancel: () => {
          cancelled = true;
        },
      });
      const code = what === 'part' ? 'refused' : 'aborted';
      await assert.rejects(service.drive.put('f', stalled, { signal: controller.signal }), { code });
      assertDropped(service);
      assert.ok(cancelled);
    }
    const service = await fakeDrive(t, {});
    async function* stuck() {
      await new Promise(() => {});
      yield '';
    }
    await assert.rejects(service.drive.put('f', stuck(), { timeoutMs: 10 }), { code: 'timeout' });
    assert.equal(service.seen.length, 0);
  });

  test('an upload ends with what its onProgress throws', async (t) => {
    const service = await fakeDrive(t, {});
    const onProgress = () => {
      throw new RangeError('mine');
    };
    await assert.rejects(service.drive.put('f', new Uint8Array(12 * mib), { onProgress }), RangeError);
    assertDropped(service);
  });

  test('a stream is read only as far as its parts can be sent', async (t) => {
    let read = 0;
    const held: (() => void)[] = [];
    const hold: Reaction = (response, request) => held.push(() => json(200, upload)(response, request));
    let arrived = () => {};
    const both = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const noted: Reaction = (response, request) => {
      hold(response, request);
      if (held.length === 2) arrived();
    };
    const service = await fakeDrive(t, { 'part 1': [noted], 'part 2': [noted] });
    async function* source() {
      for (; read < 60; read++) yield new Uint8Array(mib);
    }
    const done = service.drive.put('f', source(), { concurrency: 2 });
    await both;
    assert.ok(read <= 20, `${read} MiB read for two parts in flight`);
    for (const answer of held) answer();
    await done;
    assert.equal(sent(service).at(-1), 'PATCH uploads/u1?name=f');
  });
});

describe('a download', { concurrency: true }, () => {
  const begun: Reaction = (response) => {
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': '10' });
    response.write('hello');
  };

  test('a download that is cut off rejects with every reader', async (t) => {
    const broken: Reaction = (response, request) => {
      begun(response, request);
      setImmediate(() => response.destroy());
    };
    const service = await fakeDrive(t, { GET: Array(3).fill(broken) });
    await assert.rejects((await service.drive.get('f'))?.text() as Promise<string>, { code: 'network' });
    await assert.rejects((await service.drive.get('f'))?.blob() as Promise<Blob>, { code: 'network' });
    const reader = (await service.drive.get('f'))?.stream().getReader();
    await assert.rejects(
      async () => {
        while (!(await reader?.read())?.done);
      },
      { code: 'network' },
    );
  });

  test('a signal ends a download that has begun, and timeoutMs does not', async (t) => {
    const service = await fakeDrive(t, { GET: [begun] });
    const controller = new AbortController();
    const file = await service.drive.get('f', { signal: controller.signal, timeoutMs: 60_000 });
    const reader = file?.stream().getReader();
    assert.equal(new TextDecoder().decode((await reader?.read())?.value), 'hello');
    controller.abort();
    await assert.rejects(reader?.read() as Promise<unknown>, { code: 'aborted' });
  });

  test('a download whose length the service does not announce has no total until its end', async (t) => {
    const chunked: Reaction = (response) => {
      response.writeHead(200).write('hello');
      response.end('world');
    };
    const service = await fakeDrive(t, { GET: [chunked] });
    const reported: GetFileProgress[] = [];
    await (await service.drive.get('f', { onProgress: (progress) => reported.push(progress) }))?.text();
    for (const { total } of reported.slice(0, -1)) assert.equal(total, undefined);
    assert.deepEqual(reported.at(-1), { received: 10, total: 10 });
  });

  test('a download ends with what its onProgress throws', async (t) => {
    const service = await fakeDrive(t, { GET: [begun] });
    const onProgress = () => {
      throw new RangeError('mine');
    };
    const file = await service.drive.get('f', { onProgress });
    await assert.rejects(file?.text() as Promise<string>, RangeError);
  });

  test('a download is requested again after 503 and after a lost response head', async (t) => {
    const whole: Reaction = (response) => response.writeHead(200, { 'Content-Length': '2' }).end('ok');
    const service = await fakeDrive(t, { GET: [busy, cutOff, whole] });
    assert.equal(await (await service.drive.get('f'))?.text(), 'ok');
    assert.equal(service.seen.length, 3);
  });
});
