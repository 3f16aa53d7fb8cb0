import type { Row, Transactor } from 'basedrive-acceptance/history/transactor.js';
import type { BaseService } from '../../src/base/service.js';
import { askQuery, readPut, readTransaction } from './read-bodies.js';

/** What a base has of transactions: a test may give it a fault. */
export type TransactionService = Pick<BaseService, 'get' | 'put' | 'query' | 'transact'>;

const project = 'p';

/** A base of a service in this process, for the history of its transactions. */
export function serviceTransactor(service: TransactionService, base: string): Transactor {
  return {
    async transact(operations) {
      const read = readTransaction(JSON.stringify({ operations }));
      const { failure } = await service.transact(project, base, read);
      return failure?.error.status ?? 200;
    },
    async get(key) {
      const row = await service.get(project, base, key);
      return row === undefined ? undefined : (JSON.parse(row.toString()) as Row);
    },
    async read(prefix) {
      const query = askQuery(JSON.stringify({ query: { 'key?pfx': prefix } }));
      const { items } = await service.query(project, base, query);
      return JSON.parse(items.finish('[', ']').toString()) as Row[];
    },
    async put(items) {
      await service.put(project, base, readPut(JSON.stringify({ items })));
    },
  };
}
