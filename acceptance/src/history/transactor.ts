import type { Client } from '../model/client.js';
import { jsonOf } from '../model/entries-model.js';
import { expectStatus } from '../model/model.js';

export type Row = Readonly<Record<string, unknown>> & { readonly key: string };

/** A base with transactions, wherever it is. Every method throws `NoAnswer` if its outcome is not known. */
export interface Transactor {
  /** Returns 200, or the status of the first operation that fails; then nothing is changed. */
  transact(operations: readonly object[]): Promise<number>;
  get(key: string): Promise<Row | undefined>;
  /** Reads all items whose keys begin with the prefix, as they are at one moment if they fit into a page. */
  read(prefix: string): Promise<readonly Row[]>;
  /** Stores all of the items or none. */
  put(items: readonly Row[]): Promise<void>;
}

/** A base of a service over HTTP. */
export function httpTransactor(client: Client, base: string): Transactor {
  return {
    async transact(operations) {
      return (await client.send('POST', `${base}/transactions`, { operations })).status;
    },
    async get(key) {
      const reply = await client.send('GET', `${base}/items/${key}`);
      expectStatus(`get ${key}`, reply.status, 200, 404);
      return reply.status === 404 ? undefined : jsonOf<Row>(reply);
    },
    async read(prefix) {
      const rows: Row[] = [];
      let last: string | undefined;
      do {
        const reply = await client.send('POST', `${base}/query`, { query: { 'key?pfx': prefix }, last });
        expectStatus(`query ${prefix}`, reply.status, 200);
        const page = jsonOf<{ paging: { last?: string }; items: Row[] }>(reply);
        rows.push(...page.items);
        last = page.paging.last;
      } while (last !== undefined);
      return rows;
    },
    async put(items) {
      expectStatus('put', (await client.send('PUT', `${base}/items`, { items })).status, 207);
    },
  };
}
