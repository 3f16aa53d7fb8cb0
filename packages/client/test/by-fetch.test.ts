import { setTextExchange } from '../src/http/text-exchange.js';

// The library of browsers and of other runtimes sends everything by `fetch`, so that it must do there what it does in Node.
await import('../src/in-node.js');
setTextExchange(() => undefined);
await import('./http/calls.test.js');
await import('./http/retry.test.js');
await import('./base/base.test.js');
