import type { Settings } from '../../config/settings.js';
import { hostOf } from '../../lib/text/url-host.js';

/** Where clients reach the service, as attributes that all spans of requests have. */
export interface ServerAttributes {
  readonly 'url.scheme': 'http' | 'https';
  readonly 'server.address'?: string;
  /** Only if it is not that of the scheme. */
  readonly 'server.port'?: number;
}

/**
 * The scheme of the requests. Behind a proxy it is that of `--public-url`, with its host: the operator knows where the
 * clients are, and the headers in which a proxy says it can be sent by anyone. Without that setting the address is left
 * out: `Host` is what a client makes of it.
 */
export function serverAttributes({
  https,
  tlsCert,
  publicUrl,
}: Pick<Settings, 'https' | 'tlsCert' | 'publicUrl'>): ServerAttributes {
  if (publicUrl === undefined) return { 'url.scheme': https || tlsCert !== undefined ? 'https' : 'http' };
  const url = new URL(publicUrl);
  const { protocol, port } = url;
  return {
    'url.scheme': protocol === 'https:' ? 'https' : 'http',
    'server.address': hostOf(url),
    ...(port === '' ? {} : { 'server.port': Number(port) }),
  };
}
