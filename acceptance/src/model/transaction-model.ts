import type { Client } from './client.js';
import { expectStatus, type Finding, knownState, lost, type Model } from './model.js';

interface Pair {
  readonly left: number;
  readonly right: number;
}

/** Two items that transactions insert together, move an amount between, and delete together. */
export function transactionModel(base: string, key: string): Model {
  const state = knownState<Pair | undefined>(undefined);
  const leftKey = `${key}/left`;
  const rightKey = `${key}/right`;

  async function transact(client: Client, next: Pair | undefined, status: number, operations: object[]) {
    await state.advance(next, async () => {
      const answer = await client.send('POST', `${base}/transactions`, { operations });
      expectStatus(`transaction of ${key}`, answer.status, status);
    });
  }

  function insert(client: Client, left: number, right: number): Promise<void> {
    const taken = state.current !== undefined;
    // The first of the two must not be stored if the second one exists.
    return transact(client, taken ? state.current : { left, right }, taken ? 409 : 200, [
      { [taken ? 'put' : 'insert']: { key: leftKey, n: left } },
      { insert: { key: rightKey, n: right } },
    ]);
  }

  function move(client: Client, amount: number): Promise<void> {
    const before = state.current;
    const isEnough = before !== undefined && before.left >= amount;
    const next = isEnough ? { left: before.left - amount, right: before.right + amount } : before;
    return transact(client, next, before === undefined ? 404 : isEnough ? 200 : 412, [
      { update: { key: rightKey, increment: { n: amount } } },
      { update: { key: leftKey, if: { 'n?gte': amount }, increment: { n: -amount } } },
    ]);
  }

  function remove(client: Client): Promise<void> {
    return transact(client, undefined, 200, [{ delete: { key: leftKey } }, { delete: { key: rightKey } }]);
  }

  /** Reads both with one query, which sees one snapshot. */
  async function read(client: Client): Promise<(number | undefined)[]> {
    const query = { query: { 'key?pfx': `${key}/` } };
    const { status, body } = await client.send('POST', `${base}/query`, query);
    expectStatus(`query ${key}`, status, 200);
    const { items } = JSON.parse(body.toString()) as { items: { key: string; n: number }[] };
    return [leftKey, rightKey].map((name) => items.find((item) => item.key === name)?.n);
  }

  async function compare(client: Client, how: 'observe' | 'resolve'): Promise<Finding[]> {
    const [left, right] = await read(client);
    const current = state.current;
    if (state[how]((pair) => pair?.left === left && pair?.right === right)) return [];
    return [lost(`pair ${key}: found ${left} and ${right}, acknowledged ${JSON.stringify(current)}`)];
  }

  return {
    name: `pair ${key}`,
    list: { kind: 'items', store: base, names: [leftKey, rightKey] },
    get exists() {
      return state.current !== undefined;
    },
    get isInDoubt() {
      return state.isInDoubt;
    },
    async act(client, random) {
      const kind = random.int(10);
      if (kind < 3) return insert(client, random.int(1000), random.int(1000));
      return kind < 9 ? move(client, random.int(400)) : remove(client);
    },
    observe: (client) => compare(client, 'observe'),
    verify: (client) => compare(client, 'resolve'),
  };
}
