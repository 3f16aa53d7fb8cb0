import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Reply } from '../src/api.js';
import { type Drive, freshDrive, openUpload } from '../src/names.js';
import { openStoredTarget } from '../src/target.js';
import { expectErrors, expectStatus } from './support/expect.js';
import { useService } from './support/service.js';

const large = 300_000;
const contestants = 12;

type Headers = Readonly<Record<string, string>>;

/** Makes a file of this text, and gives the answer of the request that makes it. */
type Write = (drive: Drive, name: string, text: string, headers: Headers) => Promise<Reply>;

describe('conditional writes of files', { concurrency: true }, () => {
  const service = useService(openStoredTarget);
  const etagOf = async (drive: Drive, name: string) => String((await drive.head(name)).headers.etag);

  const end = (drive: Drive, id: string, name: string, headers: Headers) =>
    service.api.send('PATCH', `${drive.root}/uploads/${id}?name=${name}`, { headers });

  const writes: Readonly<Record<string, Write>> = {
    'Put File': (drive, name, text, headers) => drive.put(name, text, { headers }),
    'Put File of a blob': (drive, name, text, headers) => drive.put(name, text.padEnd(large), { headers }),
    async End(drive, name, text, headers) {
      const id = await openUpload(drive, name);
      expectStatus(await drive.part(id, name, 1, Buffer.from(text)), 200);
      return end(drive, id, name, headers);
    },
  };

  for (const [title, write] of Object.entries(writes)) {
    const success = title === 'End' ? 200 : 201;
    const textOf = async (drive: Drive) => (await drive.get('f')).text.trim();

    test(`${title}: If-None-Match: * makes a file only where there is none`, async () => {
      const drive = freshDrive(service.api);
      expectStatus(await write(drive, 'f', 'first', { 'If-None-Match': '*' }), success);
      expectErrors(
        await write(drive, 'f', 'second', { 'If-None-Match': '*' }),
        412,
        /^If-None-Match: the file exists$/,
      );
      assert.equal(await textOf(drive), 'first');
      await drive.remove(['f']);
      expectStatus(await write(drive, 'f', 'third', { 'If-None-Match': '*' }), success);
      assert.equal(await textOf(drive), 'third');
    });

    test(`${title}: If-Match replaces exactly the file of the ETag`, async () => {
      const drive = freshDrive(service.api);
      expectErrors(
        await write(drive, 'f', 'none', { 'If-Match': '*' }),
        412,
        /^If-Match: the file does not exist$/,
      );
      expectErrors(
        await write(drive, 'f', 'none', { 'If-Match': '"x"' }),
        412,
        /^If-Match: the file does not exist$/,
      );
      expectStatus(await drive.get('f'), 404);
      expectStatus(await write(drive, 'f', 'first', {}), success);
      const etag = await etagOf(drive, 'f');
      expectErrors(
        await write(drive, 'f', 'not', { 'If-Match': '"x"' }),
        412,
        /^If-Match: the file is another one$/,
      );
      expectErrors(await write(drive, 'f', 'not', { 'If-Match': `W/${etag}` }), 412, /another one/);
      expectErrors(await write(drive, 'f', 'not', { 'If-Match': '"a,*,b"' }), 412, /another one/);
      expectErrors(
        await write(drive, 'f', 'not', { 'If-None-Match': `"x", ${etag}` }),
        412,
        /^If-None-Match/,
      );
      expectErrors(await write(drive, 'f', 'not', { 'If-None-Match': `W/${etag}` }), 412, /^If-None-Match/);
      assert.equal(await textOf(drive), 'first');
      expectStatus(await write(drive, 'f', 'second', { 'If-Match': `"x", ${etag}` }), success);
      expectErrors(await write(drive, 'f', 'not', { 'If-Match': etag }), 412, /another one/);
      expectStatus(await write(drive, 'f', 'third', { 'If-Match': '*', 'If-None-Match': etag }), success);
      assert.equal(await textOf(drive), 'third');
    });

    test(`${title}: of many that create one name at once, one succeeds; of many that replace it, one`, async () => {
      const drive = freshDrive(service.api);
      let headers: Headers = { 'If-None-Match': '*' };
      for (let round = 0; round < 3; round++) {
        const texts = Array.from({ length: contestants }, (_, n) => `${round} ${n}`);
        const replies = await Promise.all(texts.map((text) => write(drive, 'f', text, headers)));
        const winners = texts.filter((_, n) => replies[n]?.status === success);
        assert.equal(winners.length, 1);
        for (const reply of replies) if (reply.status !== success) expectErrors(reply, 412);
        assert.equal(await textOf(drive), winners[0]);
        headers = { 'If-Match': await etagOf(drive, 'f') };
      }
    });
  }

  test('an upload whose condition does not hold stays open, and ends without it', async () => {
    const drive = freshDrive(service.api);
    expectStatus(await drive.put('f', 'old'), 201);
    const id = await openUpload(drive, 'f');
    expectStatus(await drive.part(id, 'f', 1, Buffer.from('new')), 200);
    expectErrors(await end(drive, id, 'f', { 'If-None-Match': '*' }), 412);
    assert.equal((await drive.get('f')).text, 'old');
    expectStatus(await end(drive, id, 'f', {}), 200);
    assert.equal((await drive.get('f')).text, 'new');
    expectStatus(await end(drive, id, 'f', { 'If-None-Match': '*' }), 404);
  });

  test('a malformed condition is refused, and the header is named', async () => {
    const drive = freshDrive(service.api);
    for (const value of ['x', '"x', '*, "x"', '"x" "y"', '']) {
      for (const header of ['If-Match', 'If-None-Match']) {
        const message = new RegExp(`^${header}: must be \\* or ETags in quotes$`);
        for (const write of Object.values(writes)) {
          expectErrors(await write(drive, 'f', 'x', { [header]: value }), 400, message);
        }
      }
    }
    expectStatus(await drive.get('f'), 404);
  });
});
