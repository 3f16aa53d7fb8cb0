import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Settings } from '../../config/settings.js';
import { type Finding, failed, ok, warning } from '../../lib/finding.js';
import { isSystemError } from '../../lib/folder.js';

/** Whether a server can listen on the address, and who can reach it there. */
export async function address({ host, port, https, tlsCert }: Settings): Promise<Finding> {
  const where = `${host} port ${port}`;
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    if (cause.code === 'EADDRINUSE') return ok('address', `${where} is in use, perhaps by the server`);
    return failed('address', `${where}: ${cause.message}`, 'Give another --host or --port.');
  } finally {
    server.close();
  }
  const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.');
  if (isLocal || https || tlsCert !== undefined) return ok('address', `${where} is free`);
  return warning(
    'address',
    `${where} is free, and others can reach it over plain HTTP, where keys can be read on the way`,
    'Use --https, or --tls-cert and --tls-key, or a proxy with a certificate on this machine.',
  );
}
