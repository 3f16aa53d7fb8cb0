import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ledger, nothingStored, OwnLedger } from '../../src/quotas/ledger.js';
import { SharedLedger } from '../../src/quotas/shared-ledger.js';

const bytes = (fileBytes: number) => ({ fileBytes });

function ledgerOf(fileBytes: number): Ledger {
  return new OwnLedger(
    () => ({ fileBytes }),
    async () => nothingStored,
  );
}

async function left(ledger: Ledger, most: number): Promise<number> {
  for (let free = most; free > 0; free--) {
    const reservation = await ledger.reserve(free).catch(() => undefined);
    reservation?.end();
    if (reservation !== undefined) return free;
  }
  return 0;
}

test('a reservation is taken over by its transaction, or given back', async () => {
  const ledger = ledgerOf(10);
  const reservation = await ledger.reserve(6);
  assert.equal(await left(ledger, 10), 4);
  await assert.rejects(ledger.reserve(5), { status: 507 });
  await ledger.write(async (write) => {
    write.decide(bytes(6));
    assert.equal(await left(ledger, 10), 4);
  }, reservation);
  reservation.end();
  assert.equal(await left(ledger, 10), 4);
});

test('a transaction that is decided again, and one that fails, counts nothing twice', async () => {
  const ledger = ledgerOf(10);
  await ledger.write(async (write) => {
    write.decide(bytes(9));
    write.decide(bytes(3));
    write.again();
    write.decide(bytes(2));
  });
  assert.equal(await left(ledger, 10), 8);
  const reservation = await ledger.reserve(5);
  const failing = ledger.write(async (write) => {
    write.decide(bytes(5));
    throw new Error('the disk');
  }, reservation);
  await assert.rejects(failing, /the disk/);
  assert.equal(await left(ledger, 10), 3);
  reservation.end();
  assert.equal(await left(ledger, 10), 8);
  // A transaction that has read too little changes nothing.
  await ledger.write(async (write) => {
    write.decide(bytes(5));
    write.again();
  });
  assert.equal(await left(ledger, 10), 8);
});

test('what makes less is never refused, also beyond the quota', async () => {
  const ledger = new OwnLedger(
    () => ({ items: 1 }),
    async () => ({ ...nothingStored, items: 5 }),
  );
  await ledger.write(async (write) => write.decide({ items: -1 }));
  await ledger.write(async (write) => write.decide({ items: 0, itemBytes: 100 }));
  await assert.rejects(
    ledger.write(async (write) => write.decide({ items: 1 })),
    { status: 507 },
  );
});

test('of an account that servers share, far from the quota, one reading is enough for many reservations', async () => {
  let reads = 0;
  const read = async () => {
    reads++;
    return nothingStored;
  };
  const quotaNow = () => ({ fileBytes: 1000 });
  const options = { project: 'demo', accounts: { read }, quotaNow, onRefused() {}, salt: 0 };
  const ledger = new SharedLedger(options as never);
  for (let n = 0; n < 100; n++) (await ledger.reserve(800)).end();
  assert.ok(reads < 100, `${reads} readings`);
  reads = 0;
  for (let n = 0; n < 3; n++) (await ledger.reserve(900)).end();
  assert.equal(reads, 3);
  await assert.rejects(ledger.reserve(1001), { status: 507 });
});
