import { denseObjects, filled, listed } from './bodies.js';
import type { Count, HostileRequest } from './hostile-request.js';

const maxLinksBytes = 8 * 1024 * 1024;
const maxPrefixesBytes = 1024 * 1024;

/** Bodies of Create Links and Set Public Prefixes. */
export function sharing(count: Count): HostileRequest[] {
  const links = (name: string, members: () => string): HostileRequest => ({
    name: `Create Links: ${name}`,
    method: 'POST',
    path: '/links',
    body: () => `{"method":"GET","expires_in":60,${members()}}`,
  });
  const prefixes = (name: string, body: () => string): HostileRequest => ({
    name: `Public Prefixes: ${name}`,
    method: 'PUT',
    path: '/public',
    body,
  });
  const linkBytes = count(maxLinksBytes - 1024);
  const prefixBytes = count(maxPrefixesBytes - 1024);
  const long = (n: number) => `${n}/${'ä'.repeat(500)}`;
  return [
    links('1000 names', () => `"names":[${listed(count(1000), (n) => `"${n}"`)}]`),
    links('1000 long names', () => `"names":[${listed(count(1000), (n) => `"${long(n)}"`)}]`),
    links('millions of names', () => `"names":[${filled(linkBytes, '"a"')}]`),
    links('1000 bad names', () => `"names":[${listed(1000, () => `"${'a'.repeat(linkBytes / 1010)}"`)}]`),
    links('one bad name', () => `"name":"${'a'.repeat(linkBytes - 64)}"`),
    links('one bad name of dots', () => `"name":"${'../'.repeat(linkBytes / 3 - 64)}"`),
    links('millions of values', () => `"name":${denseObjects(linkBytes - 64)}`),
    links('a long type', () => `"name":"a","content_type":"${'a/'.repeat(linkBytes / 2 - 64)}"`),
    links('digits', () => `"name":"a","max_bytes":${'7'.repeat(linkBytes - 64)}`),
    prefixes('100 long ones', () => `{"prefixes":[${listed(count(100), (n) => `"${long(n)}/"`)}]}`),
    prefixes('millions', () => `{"prefixes":[${filled(prefixBytes, '"a/"')}]}`),
    prefixes('one long one', () => `{"prefixes":["${'a/'.repeat(prefixBytes / 2 - 64)}"]}`),
    prefixes('millions of values', () => `{"prefixes":${denseObjects(prefixBytes - 64)}}`),
  ];
}
