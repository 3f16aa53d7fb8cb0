import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Base, type Drive, freshBase, freshDrive, freshName } from '../src/names.js';
import { createRandom } from '../src/random.js';
import { expectStatus } from './support/expect.js';
import { createKey, deleteKey } from './support/keys.js';
import { openRaw, type RawReply } from './support/raw-connection.js';
import { useService } from './support/service.js';

/** A request without a body. */
interface Sent {
  readonly path: string;
  readonly key?: string;
}

const rounds = 400;
/**
 * How far the share of rounds in which one of two like refusals took longer may be from a half. By chance alone it is
 * 5 standard deviations away in one of a million runs.
 */
const maxDeviation = 0.125;
/** Other work on the machine may favor one side for a while. A real difference shows every time. */
const maxTries = 3;
/** To read it takes much longer than to refuse the request. */
const largeText = 'x'.repeat(300_000);

/**
 * docs/security.md: a refusal does not tell what exists. Each test sends a pair of refused requests in turn, of which
 * one is close to something that exists, and compares both the answers and the times.
 */
describe('the refusals of what exists and of what does not are alike in bytes and time:', () => {
  const service = useService();

  const itemOf = (base: Base, key: string) => `${base.root}/items/${key}`;
  const fileOf = (drive: Drive, name: string) => `${drive.root}/files/download?name=${name}`;

  async function storedItem(): Promise<Base> {
    const base = freshBase(service.api);
    expectStatus(await base.put({ key: 'present', text: largeText }), 207);
    return base;
  }
  async function storedFile(): Promise<Drive> {
    const drive = freshDrive(service.api);
    expectStatus(await drive.put('present', largeText), 201);
    return drive;
  }
  async function linkPath(drive: Drive, name: string, key?: string): Promise<string> {
    const json = { name, method: 'GET', expires_in: 3600 };
    const reply = await service.api.send('POST', `${drive.root}/links`, { json, ...(key && { key }) });
    expectStatus(reply, 201);
    const { links } = reply.json<{ links: { url: string }[] }>();
    return new URL(links[0]?.url ?? '').pathname;
  }
  /** Changes the last character before the name, which belongs to the signature. */
  function withWrongSignature(path: string): string {
    const end = path.lastIndexOf('/') - 1;
    return `${path.slice(0, end)}${path[end] === 'A' ? 'B' : 'A'}${path.slice(end + 1)}`;
  }

  const pairs: Readonly<Record<string, () => Promise<readonly [Sent, Sent]>>> = {
    'an item of a base that is not for the key': async () => {
      const base = await storedItem();
      const { key } = await createKey(service.api, { bases: [freshName('own')] });
      return [
        { path: itemOf(base, 'present'), key },
        { path: itemOf(base, 'missing'), key },
      ];
    },
    'a file of a drive that is not for the key': async () => {
      const drive = await storedFile();
      const { key } = await createKey(service.api, { drives: [freshName('own')] });
      return [
        { path: fileOf(drive, 'present'), key },
        { path: fileOf(drive, 'missing'), key },
      ];
    },
    'a file beyond the prefix of the key': async () => {
      const drive = await storedFile();
      const { key } = await createKey(service.api, { drives: [drive.name], prefix: 'own/' });
      return [
        { path: fileOf(drive, 'present'), key },
        { path: fileOf(drive, 'missing'), key },
      ];
    },
    'a key that differs in its last character, and one that is quite different': async () => {
      const { key } = service.target;
      const path = itemOf(await storedItem(), 'present');
      const end = key.at(-1) === 'a' ? 'b' : 'a';
      const start = key.indexOf('_') + 1;
      return [
        { path, key: key.slice(0, -1) + end },
        { path, key: key.slice(0, start) + 'z'.repeat(key.length - start) },
      ];
    },
    'a key that was deleted, and one that never existed': async () => {
      const path = itemOf(await storedItem(), 'present');
      const made = await createKey(service.api);
      await deleteKey(service.api, made);
      const start = made.key.indexOf('_') + 1;
      const never = made.key.slice(0, start) + [...made.key.slice(start)].reverse().join('');
      return [
        { path, key: made.key },
        { path, key: never },
      ];
    },
    'a link with a wrong signature': async () => {
      const drive = await storedFile();
      return [
        { path: withWrongSignature(await linkPath(drive, 'present')) },
        { path: withWrongSignature(await linkPath(drive, 'missing')) },
      ];
    },
    'a link of a key that was deleted, and a link with a wrong signature': async () => {
      const drive = await storedFile();
      const made = await createKey(service.api);
      const ended = await linkPath(drive, 'present', made.key);
      await deleteKey(service.api, made);
      const { key } = await createKey(service.api);
      return [{ path: ended }, { path: withWrongSignature(await linkPath(drive, 'present', key)) }];
    },
    'a file that is not public': async () => {
      const drive = await storedFile();
      const json = { prefixes: ['site/'] };
      expectStatus(await service.api.send('PUT', `${drive.root}/public`, { json }), 200);
      const root = `/public/${service.target.project}/${drive.name}`;
      return [{ path: `${root}/present` }, { path: `${root}/missing` }];
    },
  };

  for (const [what, make] of Object.entries(pairs)) {
    test(what, async (context) => {
      const pair = await make();
      const deviations: number[] = [];
      for (let tries = 0; tries < maxTries; tries++) {
        const share = await shareOfSlower(pair, tries);
        context.diagnostic(`the first took longer in ${(share * 100).toFixed(1)} % of ${rounds} rounds`);
        if (Math.abs(share - 0.5) <= maxDeviation) return;
        deviations.push(share);
      }
      assert.fail(`the shares of rounds in which the first took longer: ${deviations.join(', ')}`);
    });
  }

  /** The share of rounds in which the answer to the first request took longer. */
  async function shareOfSlower(pair: readonly [Sent, Sent], seed: number): Promise<number> {
    const connection = await openRaw(service.target);
    const random = createRandom(seed);
    const bytes = pair.map(({ path, key }) => {
      const keyLine = key === undefined ? '' : `X-API-Key: ${key}\r\n`;
      return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${service.target.url.host}\r\n${keyLine}\r\n`);
    });
    async function send(index: number) {
      const began = performance.now();
      connection.write(bytes[index] as Buffer);
      const reply = await connection.reply();
      return { reply, tookMs: performance.now() - began };
    }
    try {
      let slower = 0;
      for (let round = 0; round < rounds; round++) {
        const first = random.int(2);
        const results = [await send(first), await send(1 - first)];
        const [a, b] = first === 0 ? results : results.reverse();
        assert.deepEqual(visibleOf(a?.reply), visibleOf(b?.reply));
        assert.ok([401, 403, 404].includes(a?.reply.status ?? 0), `${a?.reply.status} ${a?.reply.text}`);
        if ((a?.tookMs ?? 0) > (b?.tookMs ?? 0)) slower++;
      }
      return slower / rounds;
    } finally {
      connection.destroy();
    }
  }
});

/** What a client sees of an answer, without what is different in each. */
function visibleOf(reply: RawReply | undefined) {
  const { 'x-request-id': _id, date: _date, ...headers } = reply?.headers ?? {};
  return { status: reply?.status, headers, text: reply?.text };
}
