import assert from 'node:assert/strict';
import type { Api } from '../../src/api.js';
import { expectStatus } from './expect.js';

interface MadeKey {
  readonly id: string;
  readonly key: string;
}

/**
 * Each request of a cluster's test goes to a server chosen at random. So many reach both of two in all but one of 2^19
 * tries. A single server tells everything in its first answer.
 */
const probes = process.env.BASEDRIVE_TEST_CONNECTION_EACH === '1' ? 20 : 1;
const waitMs = 30_000;

/** Creates a key, and waits until every server accepts it (docs/http.md#limited-keys). */
export async function createKey(api: Api, limits: object = {}): Promise<MadeKey> {
  const reply = await api.send('POST', `/v1/${api.target.project}/keys`, { json: limits });
  expectStatus(reply, 201);
  const made = reply.json<MadeKey>();
  await untilAnswered(api, made.key, (status) => status !== 401);
  return made;
}

/** A key as the list shows it. */
export interface ListedKey {
  readonly id: string;
  readonly name?: string;
  readonly created: number;
  readonly expires: number;
  readonly last_used?: number;
}

/** All keys that the list shows, page by page: other tests may make more than a page of them. */
export async function listedKeys(api: Api): Promise<readonly ListedKey[]> {
  const path = `/v1/${api.target.project}/keys`;
  const all: ListedKey[] = [];
  for (let query: string | undefined = ''; query !== undefined; ) {
    const reply = await api.send('GET', path + query);
    expectStatus(reply, 200);
    const { keys, paging } = reply.json<{ keys: ListedKey[]; paging?: { last?: string } }>();
    all.push(...keys);
    query = paging?.last === undefined ? undefined : `?last=${encodeURIComponent(paging.last)}`;
  }
  return all;
}

/** Deletes a key, and waits until no server accepts it. */
export async function deleteKey(api: Api, { id, key }: MadeKey): Promise<void> {
  expectStatus(await api.send('DELETE', `/v1/${api.target.project}/keys?id=${id}`), 200);
  await untilAnswered(api, key, (status) => status === 401);
}

/** Waits until every server answers requests with this key with such a status. */
export async function untilAnswered(
  api: Api,
  key: string,
  isWanted: (status: number) => boolean,
): Promise<void> {
  const endMs = performance.now() + waitMs;
  for (let wanted = 0; wanted < probes; ) {
    const { status } = await api.send('GET', `/v1/${api.target.project}/bases?limit=1`, { key });
    wanted = isWanted(status) ? wanted + 1 : 0;
    // Busy servers may take long for so many answers. It is too late only for a wrong one.
    assert.ok(wanted > 0 || performance.now() < endMs, `the key is still answered with ${status}`);
  }
}
