import { AsyncLocalStorage } from 'node:async_hooks';
import type { ItemStore } from '../../engines/item-store.js';
import type { Answer } from '../requests/call.js';
import type { Exchange } from '../requests/exchange.js';

/** What a request has changed. */
interface Changing {
  /** The greatest `tx` of its transactions; empty if nothing was noted of them. */
  tx: string;
}

/** Names the transactions of the requests that ask for it (docs/http.md#the-transaction-of-a-write). */
export interface ReportedTransactions {
  /** The rows: what is changed in them for such a request is known. */
  readonly items: ItemStore;
  /** Answers a request. */
  answer(exchange: Exchange, handle: (exchange: Exchange) => Answer | Promise<Answer>): Promise<Answer>;
}

/**
 * A transaction knows its request by the asynchronous context: nothing between the two has to pass it on. Node keeps
 * contexts only while such a request is in progress: the others cost nothing more.
 */
export function createReportedTransactions(items: ItemStore): ReportedTransactions {
  const context = new AsyncLocalStorage<Changing>();
  let inProgress = 0;
  return {
    items: {
      ...items,
      transact(space, keys, decide, options) {
        const changing = inProgress === 0 ? undefined : context.getStore();
        if (changing === undefined) return items.transact(space, keys, decide, options);
        let noted = '';
        const onNoted = (tx: string) => {
          noted = tx;
        };
        const noting: typeof decide = (rows) => ({ ...decide(rows), onNoted });
        const decided = items.transact(space, keys, noting, options);
        return decided.finally(() => {
          if (noted > changing.tx) changing.tx = noted;
        });
      },
    },

    async answer(exchange, handle) {
      const changing: Changing = { tx: '' };
      inProgress++;
      try {
        const answer = await context.run(changing, () => handle(exchange));
        if (changing.tx === '') return answer;
        return { ...answer, headers: [...answer.headers, 'Preference-Applied', `tx=${changing.tx}`] };
      } finally {
        if (--inProgress === 0) context.disable();
      }
    },
  };
}

/** Whether a request wants to know its transaction: `Prefer: tx`. Reads have none. */
export function asksForTx({ method, headers: { prefer } }: Exchange): boolean {
  if (prefer === undefined || method === 'GET' || method === 'HEAD') return false;
  return String(prefer)
    .split(',')
    .some((preference) => preference.trim().toLowerCase() === 'tx');
}
