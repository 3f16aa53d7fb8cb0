import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { type Base, Basedrive, type Drive } from '../src/in-node.js';
import { freshName, key, useService } from './support/service.js';

const hourMs = 3_600_000;
const inSeconds = 1800;
/** A file of several parts. */
const largeBytes = 10 * 1024 * 1024 + 1;

/** The clock of the service: `Date` is another one here. */
const serviceSeconds = () => (performance.timeOrigin + performance.now()) / 1000;

interface Item {
  key: string;
  n: number;
  __expires?: number;
}

describe('expireIn counts from when the service stores, whatever the clock of the client says', () => {
  const service = useService();
  const options = { expireIn: inSeconds };

  const calls: Readonly<Record<string, (base: Base<Item>) => Promise<unknown>>> = {
    put: (base) => base.put({ n: 1 }, 'k', options),
    'put of an item that expires at another time': (base) =>
      base.put({ key: 'k', n: 1, __expires: 4_102_444_800 }, null, options),
    insert: (base) => base.insert({ n: 1 }, 'k', options),
    putMany: (base) => base.putMany([{ key: 'k', n: 1 }], options),
    putAll: (base) => base.putAll([{ key: 'k', n: 1 }], options),
    importItems: (base) => base.importItems([{ key: 'k', n: 1 }], options),
    'importItems with insert': (base) => base.importItems([{ key: 'k', n: 1 }], { ...options, insert: true }),
    update: async (base) => {
      await base.put({ n: 1 }, 'k');
      await base.update({ n: 2 }, 'k', options);
    },
    'an update of nothing else': async (base) => {
      await base.put({ n: 1 }, 'k');
      await base.update({}, 'k', options);
    },
    'a transaction with put': (base) => base.transaction(({ put }) => [put({ n: 1 }, 'k', options)]),
    'a transaction with insert': (base) => base.transaction(({ insert }) => [insert({ n: 1 }, 'k', options)]),
    'a transaction with update': (base) =>
      base.transaction(({ put, update }) => [put({ n: 1 }, 'k'), update({ n: 2 }, 'k', options)]),
  };

  const fileCalls: Readonly<Record<string, (drive: Drive) => Promise<unknown>>> = {
    put: (drive) => drive.put('f', 'bytes', options),
    'put in parts': (drive) => drive.put('f', new Uint8Array(largeBytes), options),
    change: async (drive) => {
      await drive.put('f', 'bytes');
      await drive.change('f', options);
    },
  };

  for (const [name, offMs] of [
    ['an hour slow', -hourMs],
    ['an hour fast', hourMs],
  ] as const) {
    const within = async (expiry: () => Promise<number | undefined>) => {
      const before = serviceSeconds();
      mock.timers.enable({ apis: ['Date'], now: Date.now() + offMs });
      let expires: number | undefined;
      try {
        expires = await expiry();
      } finally {
        mock.timers.reset();
      }
      const after = serviceSeconds();
      assert.ok(expires !== undefined, 'it is gone, or never expires');
      // The two clocks of this machine may differ by a little.
      const isRight = expires >= before + inSeconds - 2 && expires <= after + inSeconds + 2;
      assert.ok(isRight, `it expires in ${expires - before} to ${expires - after} s`);
    };

    for (const [call, work] of Object.entries(calls)) {
      test(`${call}, ${name}`, async () => {
        const base = Basedrive(key, { url: service.url }).Base<Item>(freshName());
        await within(async () => {
          await work(base);
          return (await base.get('k'))?.__expires;
        });
      });
    }

    for (const [call, work] of Object.entries(fileCalls)) {
      test(`${call} of a file, ${name}`, async () => {
        const drive = Basedrive(key, { url: service.url }).Drive(freshName());
        await within(async () => {
          await work(drive);
          return (await drive.list({ details: true })).files?.[0]?.expires;
        });
      });
    }
  }

  test('what expires at once, or has expired, is gone, whatever the clock says', async () => {
    const base = Basedrive(key, { url: service.url }).Base<Item>(freshName());
    mock.timers.enable({ apis: ['Date'], now: Date.now() + hourMs });
    try {
      for (const expireIn of [0, -1, -0.5]) {
        await base.put({ n: 1 }, 'k', { expireIn });
        assert.equal(await base.get('k'), null, String(expireIn));
      }
      await base.put({ n: 1 }, 'k', { expireIn: 1799.5 });
      assert.ok((await base.get('k')) !== null);
    } finally {
      mock.timers.reset();
    }
  });
});
