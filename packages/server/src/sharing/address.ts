import type { Call } from '../http/requests/call.js';
import { badField } from '../request-error.js';
import { fileNameOf, type Link, signLink } from './link.js';
import { linksRoot, type SharingServices } from './services.js';

/** The beginning of links. Behind a proxy that changes the host, the operator has to say it. Throws a 400 `RequestError`. */
export function addressOf(
  { headers }: Pick<Call, 'headers'>,
  { publicUrl, isSecure }: Pick<SharingServices, 'publicUrl' | 'isSecure'>,
): string {
  if (publicUrl !== undefined) return publicUrl;
  if (headers.host === undefined)
    throw badField('Host', 'required', 'must be given, because links begin with it');
  return `${isSecure ? 'https' : 'http'}://${headers.host}`;
}

/**
 * Gives what makes the URL of a link that a key has made; of a key that has ended, undefined. Throws as `addressOf`.
 */
export function linkAddress(
  call: Pick<Call, 'headers'>,
  services: Pick<SharingServices, 'publicUrl' | 'isSecure' | 'keys'>,
): (link: Link, keyId: string) => string | undefined {
  const root = addressOf(call, services) + linksRoot;
  // One key has made nearly all links of an answer, and its secret costs as much as a signature. A link ends with its key, so
  // one that is signed with the secret of a moment ago opens nothing.
  let last: { readonly keyId: string; readonly secret: Buffer | undefined } | undefined;
  return (link, keyId) => {
    if (last?.keyId !== keyId) last = { keyId, secret: services.keys.linkSecret(keyId) };
    const { secret } = last;
    if (secret === undefined) return undefined;
    return `${root}/${signLink(link, keyId, secret)}/${encodeURIComponent(fileNameOf(link.name))}`;
  };
}
