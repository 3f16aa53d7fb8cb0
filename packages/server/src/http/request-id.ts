import { randomBytes } from 'node:crypto';

const given = /^[\w.:-]{1,128}$/;

/**
 * Ids that are unique over restarts and servers: a random start, then a count. A sane id that came with the
 * request (from a proxy) is kept, so that one request has one id in all logs.
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
