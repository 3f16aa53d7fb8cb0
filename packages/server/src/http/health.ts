import type { ItemStore } from '../engines/item-store.js';
import { keysSpace } from '../spaces.js';
import { errors, json } from './answer.js';
import type { RouteTable } from './call.js';

/** `GET /health`: the process answers. `GET /ready`: the row engine does too. Neither takes a key. */
export function healthRoutes(items: ItemStore): RouteTable {
  return {
    '/health': { GET: () => json(200, { status: 'ok' }) },
    '/ready': {
      GET: async () => {
        try {
          await items.get(keysSpace, 'ready');
          return json(200, { status: 'ready' });
        } catch {
          // Why is in the log of the requests that need the engine; whoever asks here wants to know only if.
          return errors(503, ['The row engine does not answer'], ['Retry-After', '1']);
        }
      },
    },
  };
}
