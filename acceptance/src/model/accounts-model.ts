import type { Random } from '../random.js';
import type { Client } from './client.js';
import { createCount } from './count.js';
import { jsonOf } from './entries-model.js';
import { expectStatus, type Finding, lost, type Model } from './model.js';

interface Account {
  readonly key: string;
  readonly balance: number;
  /** The number of transfers to it and from it. */
  readonly received: number;
  readonly sent: number;
}

const accounts = 6;
const startBalance = 100;

/**
 * Accounts between which all workers transfer amounts at the same time, each with one transaction. Every transfer
 * changes three items: it has happened to all of them or to none, as often as it was acknowledged.
 */
export function accountsModel(base: string): Model {
  const keys = Array.from({ length: accounts }, (_, n) => `account/${n}`);
  const totalKey = 'transfers';
  const transfers = createCount('transfers');
  let created = false;

  async function transact(client: Client, operations: object[]): Promise<number> {
    return (await client.send('POST', `${base}/transactions`, { operations })).status;
  }

  async function create(client: Client): Promise<void> {
    const items = [
      ...keys.map((key) => ({ key, balance: startBalance, received: 0, sent: 0 })),
      { key: totalKey, n: 0 },
    ];
    const status = await transact(
      client,
      items.map((item) => ({ insert: item })),
    );
    expectStatus('opening the accounts', status, 200, 409);
    created = true;
  }

  /** Returns false if there was too little in the account. */
  async function transfer(client: Client, random: Random): Promise<boolean> {
    const from = random.pick(keys);
    const to = random.pick(keys.filter((key) => key !== from));
    const amount = 1 + random.int(startBalance);
    // The operation that may fail is the last one: the others must not have happened then.
    const status = await transact(client, [
      { update: { key: to, increment: { balance: amount, received: 1 } } },
      { update: { key: totalKey, increment: { n: 1 } } },
      { update: { key: from, if: { 'balance?gte': amount }, increment: { balance: -amount, sent: 1 } } },
    ]);
    expectStatus('a transfer', status, 200, 412);
    return status === 200;
  }

  /** One query sees the accounts and the number of transfers as they are at one moment. */
  async function read(client: Client) {
    const reply = await client.send('POST', `${base}/query`, {});
    expectStatus('query of the accounts', reply.status, 200);
    const { items } = jsonOf<{ items: (Account & { readonly n?: number })[] }>(reply);
    return {
      all: items.filter(({ key }) => key !== totalKey),
      n: items.find(({ key }) => key === totalKey)?.n,
    };
  }

  return {
    name: 'accounts',
    list: { kind: 'items', store: base, names: [...keys, totalKey] },
    get exists() {
      return created;
    },
    isInDoubt: false,
    async act(client, random) {
      if (!created) await create(client);
      await transfers.attempt(() => transfer(client, random));
    },
    async observe(client) {
      const least = transfers.acknowledged;
      const wasCreated = created;
      const { all, n } = await read(client);
      return [...compare(all, n, wasCreated), ...transfers.compare(n ?? 0, least)];
    },
    async verify(client) {
      const { all, n } = await read(client);
      const findings = compare(all, n, created);
      if (n !== undefined) created = true;
      return [...findings, ...transfers.resolve(n ?? 0)];
    },
  };
}

/** What is wrong with the accounts and the number of transfers, as one query has found them. */
function compare(all: readonly Account[], n: number | undefined, wasCreated: boolean): Finding[] {
  if (n === undefined && all.length === 0) return wasCreated ? [lost('the accounts are missing')] : [];
  const sum = (member: 'balance' | 'received' | 'sent') =>
    all.reduce((total, account) => total + account[member], 0);
  const isWhole =
    all.length === accounts &&
    sum('balance') === accounts * startBalance &&
    sum('received') === n &&
    sum('sent') === n &&
    all.every(({ balance }) => balance >= 0);
  if (isWhole) return [];
  return [lost(`a transfer happened in part: ${n} transfers, ${JSON.stringify(all)}`)];
}
