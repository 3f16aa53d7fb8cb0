import { randomBytes } from 'node:crypto';

const given = /^[\w.:-]{1,128}$/;

/**
 * Makes ids that are unique across restarts and servers: a random prefix, then a counter. A valid id that the request
 * has, for example from a proxy, is kept (docs/http.md#connections-and-request-ids).
 */
export function createRequestIds(): (header: string | string[] | undefined) => string {
  const prefix = randomBytes(9).toString('base64url');
  let count = 0;
  return (header) => {
    if (typeof header === 'string' && given.test(header)) return header;
    count++;
    return `${prefix}-${count.toString(36)}`;
  };
}
