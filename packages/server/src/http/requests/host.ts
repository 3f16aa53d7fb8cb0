import type { IncomingMessage } from 'node:http';

/** `uri-host [ ":" port ]` of RFC 9110, 7.2: a name, an IPv4 address, or an IPv6 address in brackets. */
const host = /^(?:\[[\da-f:.]+\]|(?:[\w\-.~!$&'()*+;=]|%[\da-f]{2})+)(?::\d{0,5})?$/i;

/** The longest name of a host (RFC 1035), a final point and a port. Links repeat it. */
const maxCharacters = 260;

/** Whether a Host field names exactly one host. */
export function isHost(value: string): boolean {
  return value.length <= maxCharacters && host.test(value);
}

const localHost = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** Whether a Host field names this machine. A web page that lets its own name lead here (DNS rebinding) sends that name. */
export function isLocalHost(value = ''): boolean {
  return localHost.test(value);
}

/** What is wrong with the Host of a request (docs/http.md#errors), or undefined. Node's parser checks none of it. */
export function hostProblem({ headers, rawHeaders, httpVersion }: IncomingMessage): string | undefined {
  if (headers.host === undefined) return httpVersion === '1.0' ? undefined : 'Host: must be given';
  // If there are several, Node gives the first.
  if (countOf('host', rawHeaders) > 1) return 'Host: must be given once';
  if (headers.host.length > maxCharacters) return `Host: has more than ${maxCharacters} characters`;
  return isHost(headers.host) ? undefined : 'Host: must be a host name or an address, with or without a port';
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at] as string;
    if (given.length === name.length && given.toLowerCase() === name) count++;
  }
  return count;
}
