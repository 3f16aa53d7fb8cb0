/** The library in Node, which has a faster way than `fetch` for what is read whole. */

import { setTextExchange } from './http/text-exchange.js';
import { findNodeExchange } from './node-http/node-exchange.js';

setTextExchange(findNodeExchange);

export * from './index.js';
