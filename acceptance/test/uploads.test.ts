import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { freshDrive, openUpload } from '../src/names.js';
import { launchTarget } from '../src/target.js';
import { expectErrors, expectJson, expectStatus, expectTooLargePage } from './support/expect.js';
import { useService } from './support/service.js';

const mib = 1024 * 1024;
const full = (letter: string) => Buffer.alloc(5 * mib, letter);

describe('uploads in parts', { concurrency: true }, () => {
  const service = useService();
  const drive = () => freshDrive(service.api);

  test('Initialize, parts and End have the documented statuses and bodies', async () => {
    const subject = drive();
    const name = 'a/b c.bin';
    const owners = { project_id: service.target.project, drive_name: subject.name };
    const initialized = await subject.initialize(name);
    const { upload_id } = initialized.json<{ upload_id: string }>();
    expectJson(initialized, 202, { name, upload_id, ...owners });
    assert.match(upload_id, /^[\w-]+$/, 'goes into a path as it is');
    for (const part of [1, 2]) {
      const reply = await subject.part(upload_id, name, part, part === 1 ? full('a') : Buffer.from('tail'));
      expectJson(reply, 200, { name, upload_id, part, ...owners });
    }
    expectStatus(await subject.get(name), 404);
    expectJson(await subject.end(upload_id, name), 200, { name, upload_id, ...owners });
    const file = await subject.get(name);
    assert.ok(file.body.equals(Buffer.concat([full('a'), Buffer.from('tail')])));
    expectJson(await subject.list(), 200, { names: [name] });
  });

  test('Abort has the documented status and body, and nothing is stored', async () => {
    const subject = drive();
    const id = await openUpload(subject, 'f');
    await subject.part(id, 'f', 1, Buffer.from('x'));
    expectJson(await subject.abort(id, 'f'), 200, {
      name: 'f',
      upload_id: id,
      project_id: service.target.project,
      drive_name: subject.name,
    });
    expectStatus(await subject.get('f'), 404);
    expectJson(await subject.list(), 200, { names: [] });
  });

  test('every Initialize returns an id of its own', async () => {
    const subject = drive();
    const ids = await Promise.all(Array.from({ length: 10 }, () => openUpload(subject, 'f')));
    assert.equal(new Set(ids).size, 10);
  });

  test('parts may be sent in any order and in parallel', async () => {
    const subject = drive();
    const id = await openUpload(subject, 'f');
    const letters = ['a', 'b', 'c', 'd'];
    const sizes = [5 * mib, 6 * mib, 5 * mib, 3];
    const parts = letters.map((letter, n) => Buffer.alloc(sizes[n] as number, letter));
    const order = [3, 1, 0, 2];
    const replies = await Promise.all(order.map((n) => subject.part(id, 'f', n + 1, parts[n] as Buffer)));
    for (const reply of replies) expectStatus(reply, 200);
    expectStatus(await subject.end(id, 'f'), 200);
    const { body, headers } = await subject.get('f');
    assert.ok(body.equals(Buffer.concat(parts)));
    assert.equal(headers['content-length'], String(16 * mib + 3));
  });

  test('a part that is sent again replaces the earlier one', async () => {
    const subject = drive();
    const id = await openUpload(subject, 'f');
    expectStatus(await subject.part(id, 'f', 2, Buffer.from('second')), 200);
    expectStatus(await subject.part(id, 'f', 1, Buffer.from('too small')), 200);
    expectStatus(await subject.part(id, 'f', 1, full('x')), 200);
    expectStatus(await subject.part(id, 'f', 1, full('y')), 200);
    expectStatus(await subject.part(id, 'f', 2, Buffer.from('2nd')), 200);
    expectStatus(await subject.end(id, 'f'), 200);
    assert.ok((await subject.get('f')).body.equals(Buffer.concat([full('y'), Buffer.from('2nd')])));
  });

  test('a single part may be small', async () => {
    const subject = drive();
    for (const size of [0, 1, 100, 20_000, 5 * mib - 1]) {
      const id = await openUpload(subject, 'f');
      await subject.part(id, 'f', 1, Buffer.alloc(size, 's'));
      expectStatus(await subject.end(id, 'f'), 200);
      assert.equal((await subject.get('f')).body.length, size);
    }
  });

  test('an upload without parts makes an empty file', async () => {
    const subject = drive();
    const id = await openUpload(subject, 'f');
    expectStatus(await subject.end(id, 'f'), 200);
    const reply = await subject.get('f');
    expectStatus(reply, 200);
    assert.equal(reply.headers['content-length'], '0');
  });

  describe('part numbers and sizes', { concurrency: true }, () => {
    test('part numbers are 1 to 10,000; others are answered with 400', async () => {
      const subject = drive();
      const id = await openUpload(subject, 'f');
      const x = Buffer.from('x');
      for (const part of ['0', '-1', '10001', '1.5', '1e3', 'x', '', '%20', '0x1', '99999999999999999999']) {
        expectErrors(await subject.part(id, 'f', part, x), 400, /part/);
      }
      const { api } = service;
      expectErrors(
        await api.send('POST', `${subject.root}/uploads/${id}/parts?name=f`, { body: 'x' }),
        400,
        /part/,
      );
      expectStatus(await subject.part(id, 'f', 10_000, x), 200);
      expectStatus(await subject.part(id, 'f', 1, x), 200);
    });

    test('a part may have 10 MiB and no more', async () => {
      const subject = drive();
      const id = await openUpload(subject, 'f');
      expectStatus(await subject.part(id, 'f', 1, Buffer.alloc(10 * mib, 'm')), 200);
      expectTooLargePage(await subject.part(id, 'f', 2, Buffer.alloc(10 * mib + 1)));
      // The refused part is not stored and has replaced no part.
      expectTooLargePage(await subject.part(id, 'f', 1, Buffer.alloc(10 * mib + 1)));
      expectStatus(await subject.end(id, 'f'), 200);
      assert.ok((await subject.get('f')).body.equals(Buffer.alloc(10 * mib, 'm')));
    });

    test('all parts except the last have at least 5 MiB; otherwise End is answered with 400 and the upload stays open', async () => {
      const subject = drive();
      await subject.put('f', 'before');
      const id = await openUpload(subject, 'f');
      await subject.part(id, 'f', 1, full('a'));
      await subject.part(id, 'f', 2, full('b').subarray(1));
      await subject.part(id, 'f', 3, Buffer.from('x'));
      expectErrors(await subject.end(id, 'f'), 400, /\b2\b/);
      assert.equal((await subject.get('f')).text, 'before');
      expectStatus(await subject.part(id, 'f', 2, full('b')), 200);
      expectStatus(await subject.end(id, 'f'), 200);
      assert.equal((await subject.get('f')).body.length, 10 * mib + 1);
    });

    test('parts are 1 to n without a gap; otherwise End is answered with 400 and the missing numbers', async () => {
      const subject = drive();
      const id = await openUpload(subject, 'f');
      await subject.part(id, 'f', 2, full('b'));
      expectErrors(await subject.end(id, 'f'), 400, /\b1\b/);
      await subject.part(id, 'f', 4, Buffer.from('d'));
      const messages = expectErrors(await subject.end(id, 'f'), 400).join();
      assert.match(messages, /\b1\b/);
      assert.match(messages, /\b3\b/);
      expectStatus(await subject.get('f'), 404);
      await subject.part(id, 'f', 1, full('a'));
      await subject.part(id, 'f', 3, full('c'));
      expectStatus(await subject.end(id, 'f'), 200);
      assert.equal((await subject.get('f')).body.length, 15 * mib + 1);
    });
  });

  describe('an unknown upload', { concurrency: true }, () => {
    const x = Buffer.from('x');

    async function expectUnknown(subject: ReturnType<typeof drive>, id: string, name: string): Promise<void> {
      expectErrors(await subject.part(id, name, 1, x), 404);
      expectErrors(await subject.end(id, name), 404);
      expectErrors(await subject.abort(id, name), 404);
    }

    test('an upload that never existed is answered with 404', async () => {
      const subject = drive();
      const like = await openUpload(subject, 'f');
      for (const id of [
        'u',
        '%20',
        '..',
        '%2F',
        'a%00b',
        'x'.repeat(500),
        like.slice(0, -1),
        `${like}x`,
        '🙂'.repeat(3),
      ]) {
        await expectUnknown(subject, /[^\x20-\x7e]/.test(id) ? encodeURIComponent(id) : id, 'f');
      }
    });

    test('an upload that has ended is answered with 404', async () => {
      const subject = drive();
      const id = await openUpload(subject, 'f');
      await subject.end(id, 'f');
      await expectUnknown(subject, id, 'f');
    });

    test('an upload that was aborted is answered with 404', async () => {
      const subject = drive();
      const id = await openUpload(subject, 'f');
      await subject.abort(id, 'f');
      await expectUnknown(subject, id, 'f');
    });

    test('an upload of another drive or another name is answered with 404', async () => {
      const subject = drive();
      const id = await openUpload(subject, 'f');
      await expectUnknown(drive(), id, 'f');
      await expectUnknown(subject, id, 'g');
      expectStatus(await subject.part(id, 'f', 1, x), 200);
      expectStatus(await subject.end(id, 'f'), 200);
    });

    test('an upload of another project is not accessible', async () => {
      const { api, target } = service;
      const subject = drive();
      const id = await openUpload(subject, 'f');
      const other = target.otherKey.slice(0, target.otherKey.indexOf('_'));
      const path = `/v1/${other}/${subject.name}/uploads/${id}?name=f`;
      const { status } = await api.send('DELETE', path, { key: target.otherKey });
      // If the service does not know the other key, the answer is 401.
      assert.ok(status === 404 || status === 401, `${status}`);
      expectStatus(await subject.abort(id, 'f'), 200);
    });
  });

  describe('the content type', { concurrency: true }, () => {
    const rows: readonly [
      what: string,
      initialize: string | undefined,
      parts: (string | undefined)[],
      type: string,
    ][] = [
      ['of Initialize', 'text/plain', ['text/html', 'text/css'], 'text/plain'],
      ['of Initialize, if the parts have none', 'binary/octet-stream', [undefined], 'binary/octet-stream'],
      ['of part 1, if Initialize has none', undefined, ['text/html', 'text/css'], 'text/html'],
      ['of part 1, never of part 2', undefined, [undefined, 'text/css'], 'image/png'],
      ['of the name, if no request has one', undefined, [undefined], 'image/png'],
      ['of the name, if there are no parts', undefined, [], 'image/png'],
    ];
    for (const [what, initialize, parts, type] of rows) {
      test(`the content type of the file is that ${what}`, async () => {
        const subject = drive();
        const id = await openUpload(subject, 'f.png', initialize);
        // In reverse order: part 1 is the part with that number, not the one that was sent first.
        for (const [n, partType] of [...parts.entries()].reverse()) {
          const body = n === parts.length - 1 ? Buffer.from('x') : full('x');
          expectStatus(await subject.part(id, 'f.png', n + 1, body, partType), 200);
        }
        expectStatus(await subject.end(id, 'f.png'), 200);
        assert.equal((await subject.get('f.png')).headers['content-type'], type);
      });
    }
  });

  describe('during an upload', { concurrency: true }, () => {
    test('the old file is served until End replaces it', async () => {
      const subject = drive();
      await subject.put('f', 'old', { type: 'text/plain' });
      const id = await openUpload(subject, 'f', 'text/html');
      await subject.part(id, 'f', 1, Buffer.from('new'));
      assert.equal((await subject.get('f')).text, 'old');
      expectStatus(await subject.end(id, 'f'), 200);
      const reply = await subject.get('f');
      assert.equal(reply.text, 'new');
      assert.equal(reply.headers['content-type'], 'text/html');
    });

    test('an open upload is not listed, and a delete of its name does not end it', async () => {
      const subject = drive();
      const id = await openUpload(subject, 'f');
      await subject.part(id, 'f', 1, Buffer.from('new'));
      expectJson(await subject.list(), 200, { names: [] });
      expectJson(await subject.remove(['f']), 200, { deleted: ['f'], failed: {} });
      expectStatus(await subject.end(id, 'f'), 200);
      assert.equal((await subject.get('f')).text, 'new');
    });

    test('two uploads of one name do not mix, and the later End wins', async () => {
      const subject = drive();
      const [first, second] = [await openUpload(subject, 'f'), await openUpload(subject, 'f')];
      await subject.part(first, 'f', 1, Buffer.from('first'));
      await subject.part(second, 'f', 1, Buffer.from('second'));
      expectStatus(await subject.end(second, 'f'), 200);
      assert.equal((await subject.get('f')).text, 'second');
      expectStatus(await subject.end(first, 'f'), 200);
      assert.equal((await subject.get('f')).text, 'first');
    });

    test('of many Ends at the same time, one is answered with 200 and the others with 404', async () => {
      const subject = drive();
      const id = await openUpload(subject, 'f');
      await subject.part(id, 'f', 1, Buffer.from('x'));
      const replies = await Promise.all(Array.from({ length: 8 }, () => subject.end(id, 'f')));
      const statuses = replies.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [200, ...Array<number>(7).fill(404)]);
    });

    test('of End and Abort at the same time, one wins', async () => {
      const subject = drive();
      for (let round = 0; round < 5; round++) {
        const name = `f${round}`;
        const id = await openUpload(subject, name);
        await subject.part(id, name, 1, Buffer.from('x'));
        const [ended, aborted] = await Promise.all([subject.end(id, name), subject.abort(id, name)]);
        assert.deepEqual([ended.status, aborted.status].sort(), [200, 404]);
        expectStatus(await subject.get(name), ended.status);
      }
    });
  });

  test('calls without a body may have any content type, and a body is ignored', async () => {
    const { api } = service;
    const subject = drive();
    for (const type of ['application/json', 'text/plain', 'x']) {
      for (const body of ['', 'null', '{}']) {
        const path = `${subject.root}/uploads`;
        const initialized = await api.send('POST', `${path}?name=f`, { type, body });
        expectStatus(initialized, 202);
        const { upload_id } = initialized.json<{ upload_id: string }>();
        expectStatus(await api.send('PATCH', `${path}/${upload_id}?name=f`, { type, body }), 200);
        const again = await openUpload(subject, 'f');
        expectStatus(await api.send('DELETE', `${path}/${again}?name=f`, { type, body }), 200);
      }
    }
  });
});

describe('an upload left open', () => {
  const service = useService(() => launchTarget('--upload-ttl', '4s'));

  test('an upload is dropped after its time without a call, and every call renews the time', async () => {
    const drive = freshDrive(service.api);
    const [left, called] = [await openUpload(drive, 'f'), await openUpload(drive, 'f')];
    const x = Buffer.from('x');
    const began = Date.now();
    await drive.part(left, 'f', 1, x);
    // Only an upload without a call for four seconds is dropped; the other one gets calls all the time.
    while (Date.now() - began < 5500) {
      expectStatus(await drive.part(called, 'f', 1, x), 200);
      await wait(200);
    }
    expectErrors(await drive.end(left, 'f'), 404);
    expectStatus(await drive.end(called, 'f'), 200);
  });
});
