import assert from 'node:assert/strict';
import type { Server } from 'node:http';

/** Makes a server listen on a free port of 127.0.0.1 and returns its address. */
export async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address !== 'string');
  return `http://127.0.0.1:${address.port}`;
}
