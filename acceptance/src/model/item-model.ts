import type { Client } from './client.js';
import { expectStatus, type Finding, knownState, lost, type Model } from './model.js';

interface Item {
  readonly key: string;
  readonly n: number;
  readonly text: string;
}

/** An item that is put, inserted, updated with an increment, and deleted. */
export function itemModel(base: string, key: string): Model {
  const state = knownState<Item | undefined>(undefined);
  const path = `${base}/items/${encodeURIComponent(key)}`;
  let lastIncrement = 0;

  async function put(client: Client, item: Item): Promise<void> {
    await state.advance(item, async () => {
      expectStatus(`put ${key}`, (await client.send('PUT', `${base}/items`, { items: [item] })).status, 207);
    });
  }

  async function insert(client: Client, item: Item): Promise<void> {
    const taken = state.current !== undefined;
    await state.advance(taken ? state.current : item, async () => {
      const { status } = await client.send('POST', `${base}/items`, { item });
      expectStatus(`insert ${key}`, status, taken ? 409 : 201);
    });
  }

  async function update(client: Client, by: number, text: string): Promise<void> {
    const before = state.current;
    lastIncrement = by;
    await state.advance(before && { ...before, n: before.n + by, text }, async () => {
      const { status } = await client.send('PATCH', path, { increment: { n: by }, set: { text } });
      expectStatus(`update ${key}`, status, before === undefined ? 404 : 200);
    });
  }

  async function remove(client: Client): Promise<void> {
    await state.advance(undefined, async () => {
      expectStatus(`delete ${key}`, (await client.send('DELETE', path)).status, 200);
    });
  }

  /** Returns what is wrong with it: `observe` while others write, `resolve` when nothing runs. */
  async function compare(client: Client, how: 'observe' | 'resolve'): Promise<Finding[]> {
    const { status, body } = await client.send('GET', path);
    expectStatus(`get ${key}`, status, 200, 404);
    const found = status === 404 ? undefined : (JSON.parse(body.toString()) as Item);
    const current = state.current;
    const same = state[how](
      (item) => item?.key === found?.key && item?.n === found?.n && item?.text === found?.text,
    );
    if (same) return [];
    const text = `item ${key}: found ${JSON.stringify(found)}, acknowledged ${JSON.stringify(current)}`;
    const twice =
      current !== undefined && found?.text === current.text && found.n === current.n + lastIncrement;
    return twice ? [{ kind: 'doubled', text }] : [lost(text)];
  }

  return {
    name: `item ${key}`,
    list: { kind: 'items', store: base, names: [key] },
    get exists() {
      return state.current !== undefined;
    },
    get isInDoubt() {
      return state.isInDoubt;
    },
    async act(client, random) {
      const item = { key, n: random.int(1000), text: String(random.int(1e9)).repeat(1 + random.int(40)) };
      const kind = random.int(10);
      if (kind < 4) return put(client, item);
      if (kind < 6) return insert(client, item);
      if (kind < 9) return update(client, random.int(100) - 50, item.text);
      return remove(client);
    },
    observe: (client) => compare(client, 'observe'),
    verify: (client) => compare(client, 'resolve'),
  };
}
