import type { Call } from '../http/requests/call.js';
import { badField } from '../request-error.js';
import type { SharingServices } from './services.js';

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
