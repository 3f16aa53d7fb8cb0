import assert from 'node:assert/strict';
import type { Reply, SendOptions } from '../../src/api.js';
import type { Drive } from '../../src/names.js';
import { expectJson, expectStatus } from './expect.js';
import type { Service } from './service.js';

export interface MadeLink {
  readonly name: string;
  readonly url: string;
  readonly expires: number;
}

export const invalidLink = {
  errors: ['Forbidden: the link is not valid, or no longer'],
  codes: [{ code: 'invalid_link' }],
};
const daySeconds = 24 * 3600;

/** Makes and uses links of a service (docs/http.md#links). */
export function linksOf(service: Service) {
  const create = (drive: Drive, json: object, key?: string) =>
    service.api.send('POST', `${drive.root}/links`, { json, ...(key !== undefined && { key }) });
  async function linkOf(drive: Drive, json: object, key?: string): Promise<string> {
    const reply = await create(drive, { expires_in: daySeconds, ...json }, key);
    expectStatus(reply, 201);
    return (reply.json<{ links: MadeLink[] }>().links[0] as MadeLink).url;
  }
  const readLink = (drive: Drive, name: string, more: object = {}) =>
    linkOf(drive, { name, method: 'GET', ...more });
  const writeLink = (drive: Drive, name: string, more: object = {}) =>
    linkOf(drive, { name, method: 'POST', ...more });

  /** The path of a link, as a client sends it. */
  const pathOf = (url: string) => new URL(url).pathname;
  /** Sends a request without a key, byte for byte. */
  const use = (method: string, url: string, options: SendOptions = {}) =>
    service.api.send(method, pathOf(url), { key: null, ...options });
  const store = (drive: Drive, name: string, body: string, type = 'text/plain') =>
    service.api.send('POST', `${drive.root}/files?name=${encodeURIComponent(name)}`, { body, type });

  function expectInvalid(reply: Reply): void {
    expectJson(reply, 403, invalidLink);
    assert.equal(reply.headers['cache-control'], 'private, no-store');
  }
  return { create, linkOf, readLink, writeLink, pathOf, use, store, expectInvalid };
}
