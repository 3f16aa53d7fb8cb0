import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Settings } from '../../config/settings.js';
import type { ListenAddress } from '../../config/values.js';
import { type Finding, failed, ok, warning } from '../../lib/finding.js';
import { isSystemError } from '../../lib/folder.js';

/** Whether a server can listen on the address, and who can reach it there. */
export async function address({ host, port, https, tlsCert }: Settings): Promise<Finding> {
  const finding = await listening('address', { host, port }, 'Give another --host or --port.');
  const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.');
  if (finding.verdict !== 'ok' || isLocal || https || tlsCert !== undefined) return finding;
  return warning(
    'address',
    `${finding.found}, and others can reach it over plain HTTP, where keys can be read on the way`,
    'Use --https, or --tls-cert and --tls-key, or a proxy with a certificate on this machine.',
  );
}

/** Whether metrics can be served on the address of `--metrics`. */
export async function metricsAddress({ host, port, metrics }: Settings): Promise<readonly Finding[]> {
  if (metrics === undefined) return [];
  const advice = 'Give another --metrics.';
  if (metrics.port !== 0 && metrics.port === port && metrics.host === host)
    return [failed('metrics', `${host} port ${port} is the address of the server itself`, advice)];
  return [await listening('metrics', metrics, advice)];
}

async function listening(subject: string, { host, port }: ListenAddress, advice: string): Promise<Finding> {
  const where = `${host} port ${port}`;
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return ok(subject, `${where} is free`);
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    if (cause.code === 'EADDRINUSE') return ok(subject, `${where} is in use, perhaps by the server`);
    return failed(subject, `${where}: ${cause.message}`, advice);
  } finally {
    server.close();
  }
}
