import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { freshDrive } from '../../src/names.js';
import { openSocket } from '../../src/open-socket.js';
import { bytesOf, createRandom, type Random } from '../../src/random.js';
import { launchStoredTarget } from '../../src/target.js';
import { openS3, type S3Service } from '../support/s3.js';

const workers = 12;
const filesPerWorker = 12;
const maxBytes = 3 * 1024 * 1024;

/** The server reads large bodies into memory that it uses again. */
for (const options of [[], ['--https'], ['--workers', '2']]) {
  describe(`many uploads at once, of which some end early${options.map((option) => ` ${option}`).join('')}`, () => {
    let s3: S3Service;
    before(async () => {
      s3 = await openS3(await launchStoredTarget(...options));
    });
    after(async () => {
      s3.client.destroy();
      s3.api.close();
      await s3.target.close();
    });

    test('each file has its own bytes and MD5', async () => {
      const drive = freshDrive(s3.api);
      const Bucket = await s3.bucket();

      async function upload(random: Random, Key: string): Promise<void> {
        const seed = random.int(2 ** 31);
        const body = bytesOf(seed, random.int(maxBytes));
        const way = random.int(10);
        if (way < 3) await cut(s3, `${drive.root}/files?name=${Key}`, body, random);
        else if (way < 6) {
          const reply = await drive.put(Key, body);
          assert.equal(reply.status, 201, reply.text);
          const read = await drive.get(Key);
          assert.ok(read.body.equals(body), `${Key} has other bytes`);
        } else {
          const { ETag } = await s3.client.send(new PutObjectCommand({ Bucket, Key, Body: body }));
          assert.equal(ETag, `"${createHash('md5').update(body).digest('hex')}"`);
          const { Body } = await s3.client.send(new GetObjectCommand({ Bucket, Key }));
          assert.ok(body.equals(await bytesIn(Body)), `${Key} has other bytes`);
        }
      }

      async function work(worker: number): Promise<void> {
        const random = createRandom(worker + 1);
        for (let file = 0; file < filesPerWorker; file++) await upload(random, `w${worker}-${file}`);
      }

      await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
    });
  });
}

/** Sends a part of an upload and leaves. */
async function cut({ target }: S3Service, path: string, body: Buffer, random: Random): Promise<void> {
  const socket = await openSocket(target);
  const ended = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    `X-API-Key: ${target.key}`,
    `Content-Length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const sent = body.subarray(0, random.int(body.length + 1));
  // Some leave before the server has read what was sent.
  if (random.int(2) === 0) socket.write(sent);
  else await new Promise((resolve) => socket.write(sent, resolve));
  socket.destroy();
  await ended;
}

async function bytesIn(
  body: { transformToByteArray(): Promise<Uint8Array> } | undefined,
): Promise<Uint8Array> {
  assert.ok(body);
  return await body.transformToByteArray();
}
