import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Reply } from '../src/api.js';
import { type Drive, freshDrive, openUpload } from '../src/names.js';
import { expectErrors, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const mib = 1024 * 1024;

describe('ranges of a download', { concurrency: true }, () => {
  const service = useService();
  const digits = '0123456789';
  let drive: Drive;
  let etag: string;
  let modified: string;

  before(async () => {
    drive = freshDrive(service.api);
    await drive.put('f', digits, { type: 'text/plain' });
    await drive.put('empty', '');
    const { headers } = await drive.get('f');
    etag = String(headers.etag);
    modified = String(headers['last-modified']);
  });

  const get = (range: string, headers: Record<string, string> = {}) =>
    drive.get('f', { Range: range, ...headers });

  function expectWhole(reply: Reply): void {
    expectStatus(reply, 200);
    assert.equal(reply.text, digits);
    assert.equal(reply.headers['content-range'], undefined);
  }

  const single: readonly [range: string, first: number, last: number][] = [
    ['bytes=0-0', 0, 0],
    ['bytes=0-4', 0, 4],
    ['bytes=3-', 3, 9],
    ['bytes=9-9', 9, 9],
    ['bytes=9-', 9, 9],
    ['bytes=-1', 9, 9],
    ['bytes=-4', 6, 9],
    ['bytes=0-', 0, 9],
    ['bytes=0-9', 0, 9],
    ['bytes=5-100', 5, 9],
    ['bytes=-10', 0, 9],
    ['bytes=-100', 0, 9],
    ['bytes=0-99999999999999999999', 0, 9],
    ['BYTES=1-2', 1, 2],
    ['bytes= 1-2', 1, 2],
    ['bytes=1-2 ', 1, 2],
    ['bytes=2-3,100-200', 2, 3],
  ];
  for (const [range, first, last] of single) {
    test(`the range ${range} is answered with 206 and the bytes ${first} to ${last}`, async () => {
      const reply = await get(range);
      expectStatus(reply, 206);
      assert.equal(reply.text, digits.slice(first, last + 1));
      assert.equal(reply.headers['content-range'], `bytes ${first}-${last}/10`);
      assert.equal(reply.headers['content-length'], String(last - first + 1));
      assert.equal(reply.headers['content-type'], 'text/plain');
      assert.equal(reply.headers['accept-ranges'], 'bytes');
      assert.equal(reply.headers.etag, etag);
    });
  }

  for (const range of [
    'bytes=10-',
    'bytes=10-20',
    'bytes=100-',
    'bytes=-0',
    'bytes=10-,20-30',
    'bytes=3-2',
  ]) {
    test(`the range ${range} is answered with 416 and the size of the file`, async () => {
      const reply = await get(range);
      expectErrors(reply, 416, /range/i);
      assert.equal(reply.headers['content-range'], 'bytes */10');
    });
  }

  test('fifty ranges are answered with their bytes, and more ranges with the whole file', async () => {
    const spread = freshDrive(service.api);
    await spread.put('f', 'x'.repeat(200));
    const ranges = (count: number) =>
      `bytes=${Array.from({ length: count }, (_, n) => `${n * 2}-${n * 2}`).join(',')}`;
    expectStatus(await spread.get('f', { Range: ranges(50) }), 206);
    expectStatus(await spread.get('f', { Range: ranges(51) }), 200);
  });

  const malformed = [
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=1',
    'bytes=--1',
    'items=0-1',
    '0-1',
    'x',
    'bytes=1.5-2',
  ];
  for (const range of [...malformed, 'bytes 0-1', 'bytes:0-1']) {
    test(`the malformed range ${range} is answered with the whole file or 416`, async () => {
      const reply = await get(range);
      if (reply.status === 416) assert.equal(reply.headers['content-range'], 'bytes */10');
      else expectWhole(reply);
    });
  }

  test('a range of another unit is ignored', async () => {
    expectWhole(await get('items=0-1'));
  });

  const several: readonly [range: string, parts: readonly [number, number][]][] = [
    [
      'bytes=0-1,8-9',
      [
        [0, 1],
        [8, 9],
      ],
    ],
    [
      'bytes=0-0, -1',
      [
        [0, 0],
        [9, 9],
      ],
    ],
    [
      'bytes=1-1,3-3,5-',
      [
        [1, 1],
        [3, 3],
        [5, 9],
      ],
    ],
    [
      'bytes=0-1,8-9,50-60',
      [
        [0, 1],
        [8, 9],
      ],
    ],
  ];
  for (const [range, parts] of several) {
    test(`the ranges ${range} are answered with 206 and several parts`, async () => {
      const reply = await get(range);
      expectStatus(reply, 206);
      assert.equal(reply.headers['content-range'], undefined);
      assert.equal(reply.headers['content-length'], String(reply.body.length));
      assert.deepEqual(
        byteRanges(reply),
        parts.map(([first, last]) => ({
          range: `bytes ${first}-${last}/10`,
          type: 'text/plain',
          bytes: digits.slice(first, last + 1),
        })),
      );
    });
  }

  test('overlapping ranges are not answered with many times the file', async () => {
    const ranges = `bytes=${Array.from({ length: 40 }, () => '0-9').join(',')}`;
    const reply = await get(ranges);
    assert.ok(reply.body.length < 1000, `${reply.body.length} bytes for a file of 10`);
  });

  test('thousands of ranges are answered with the whole file', async () => {
    const reply = await get(`bytes=${Array.from({ length: 4000 }, () => '1-1').join(',')}`);
    expectWhole(reply);
  });

  test('an empty file has no range', async () => {
    for (const range of ['bytes=0-', 'bytes=0-0', 'bytes=-1']) {
      const reply = await drive.get('empty', { Range: range });
      assert.ok(reply.status === 416 || (reply.status === 200 && reply.text === ''), `${reply.status}`);
    }
  });

  test('HEAD is answered with the headers of GET', async () => {
    const reply = await drive.head('f', { Range: 'bytes=2-5' });
    assert.equal(reply.body.length, 0);
    assert.ok(reply.status === 206 || reply.status === 200);
    assert.equal(reply.headers['content-length'], reply.status === 206 ? '4' : '10');
  });

  test('a range with If-Range applies only to the current content; otherwise the whole file is returned', async () => {
    const range = { Range: 'bytes=0-1' };
    expectStatus(await drive.get('f', { ...range, 'If-Range': etag }), 206);
    expectStatus(await drive.get('f', { ...range, 'If-Range': modified }), 206);
    for (const other of ['"other"', `W/${etag}`, new Date(0).toUTCString(), 'rubbish']) {
      expectWhole(await drive.get('f', { ...range, 'If-Range': other }));
    }
  });

  test('a condition that fails has precedence over the range', async () => {
    expectStatus(await get('bytes=0-1', { 'If-None-Match': etag }), 304);
    expectStatus(await get('bytes=50-', { 'If-None-Match': etag }), 304);
  });

  test('a range may span several parts of an upload', async () => {
    const { api } = service;
    const subject = freshDrive(api);
    const id = await openUpload(subject, 'big');
    const parts = [Buffer.alloc(5 * mib, 'a'), Buffer.alloc(6 * mib, 'b'), Buffer.from('tail')];
    await Promise.all(parts.map((part, n) => subject.part(id, 'big', n + 1, part)));
    expectStatus(await subject.end(id, 'big'), 200);
    const whole = Buffer.concat(parts);
    const at = 5 * mib;
    for (const [first, last] of [
      [0, 9],
      [at - 3, at + 3],
      [at, at],
      [at - 1, 11 * mib + 1],
      [11 * mib, 11 * mib + 3],
    ] as const) {
      const reply = await subject.get('big', { Range: `bytes=${first}-${last}` });
      expectStatus(reply, 206);
      assert.equal(reply.headers['content-range'], `bytes ${first}-${last}/${whole.length}`);
      assert.ok(reply.body.equals(whole.subarray(first, last + 1)), `${first}-${last}`);
    }
    const suffix = await subject.get('big', { Range: 'bytes=-6' });
    assert.equal(suffix.text, 'bbtail');
    const several = await subject.get('big', { Range: `bytes=${at - 2}-${at + 1},-4` });
    assert.deepEqual(
      byteRanges(several).map(({ bytes }) => bytes),
      ['aabb', 'tail'],
    );
  });
});

/** The parts of a multipart/byteranges body. */
function byteRanges(reply: Reply) {
  const type = String(reply.headers['content-type']);
  const boundary = /^multipart\/byteranges; *boundary="?([^";]+)"?$/.exec(type)?.[1];
  assert.ok(boundary, type);
  const [, ...parts] = `\r\n${reply.body.toString('latin1')}`.split(`\r\n--${boundary}`);
  assert.equal(parts.pop()?.trimEnd(), '--', 'the last boundary ends the body');
  return parts.map((part) => {
    const [head = '', bytes = ''] = part.split('\r\n\r\n');
    const header = (name: string) => new RegExp(`^${name}: *(.+)$`, 'im').exec(head)?.[1]?.trim();
    return { range: header('content-range'), type: header('content-type'), bytes };
  });
}
