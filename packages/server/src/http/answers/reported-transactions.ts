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
  const { transactAcross: across } = items;
  const context = new AsyncLocalStorage<Changing>();
  let inProgress = 0;
  return {
    items: {
      ...items,
      transact(space, keys, decide, options) {
        const changing = inProgress === 0 ? undefined : context.getStore();
        if (changing === undefined) return items.transact(space, keys, decide, options);
        return noting(changing, (onNoted) =>
          items.transact(space, keys, (rows) => ({ ...decide(rows), onNoted }), options),
        );
      },
      // With a quota, what is stored changes across two spaces.
      transactAcross:
        across &&
        ((space, keys, second, decide) => {
          const changing = inProgress === 0 ? undefined : context.getStore();
          if (changing === undefined) return across(space, keys, second, decide);
          return noting(changing, (onNoted) =>
            across(space, keys, second, (rows, others) => ({ ...decide(rows, others), onNoted })),
          );
        }),
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

/** Runs a transaction, and remembers what was noted of it. */
function noting<T>(changing: Changing, run: (onNoted: (tx: string) => void) => Promise<T>): Promise<T> {
  let noted = '';
  const decided = run((tx) => {
    noted = tx;
  });
  return decided.finally(() => {
    if (noted > changing.tx) changing.tx = noted;
  });
}

/** Whether a request wants to know its transaction: `Prefer: tx`. Reads have none. */
export function asksForTx({ method, headers: { prefer } }: Exchange): boolean {
  if (prefer === undefined || method === 'GET' || method === 'HEAD') return false;
  return String(prefer)
    .split(',')
    .some((preference) => preference.trim().toLowerCase() === 'tx');
}
