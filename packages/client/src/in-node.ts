/** The library in Node, which has a faster way than `fetch` for what is read whole. */
import { findNodeExchange } from './node-exchange.js';
import { setTextExchange } from './text-exchange.js';

setTextExchange(findNodeExchange);

export * from './index.js';
