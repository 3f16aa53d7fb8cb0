export type { TestControl } from './control.js';
export type { Fault } from './faults.js';
export type { Seeded } from './seed.js';
export { startTestServer, type TestServer, type TestServerOptions } from './test-server.js';
