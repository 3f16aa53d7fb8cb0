import type { Base } from '../../base/base.js';
import { openBase } from '../../base/open-base.js';
import { openDrive } from '../../drive/open-drive.js';
import { BasedriveError } from '../../http/error.js';
import type { FileDetails, OwnKeyResponse } from '../../http-types.js';
import { openKeys } from '../../project/keys.js';
import { endpointOf, type ProjectAddress } from './address.js';

/** What the service knows of a file (docs/http.md#file-details). */
export type RemoteFile = Required<Omit<FileDetails, keyof Noted>> & Noted;

/** What not every file has. */
type Noted = Pick<FileDetails, 'expires' | 'metadata' | 'headers' | 'md5' | 'checksum'>;

/** Whether a name is that of the marker of a folder (docs/http.md#folder-markers). */
export function isFolder(name: string): boolean {
  return name.endsWith('/');
}

/** What the key of the requests may do, and the time of the server. */
export interface OwnKey extends OwnKeyResponse {
  /** By how many milliseconds the clock of the server is ahead of the one here. A second is not noticed. */
  readonly aheadMs: number;
}

/**
 * What the key may do (docs/http.md#own-key). Throws a `BasedriveError` soon if the server cannot be reached, or does not
 * accept the key.
 */
export async function ownKey({ endpoint, signal }: ProjectAddress): Promise<OwnKey> {
  let aheadMs = 0;
  const noting: typeof fetch = async (...request) => {
    const answer = await (endpoint.options.fetch ?? fetch)(...request);
    const ofServer = Date.parse(answer.headers.get('date') ?? '');
    if (!Number.isNaN(ofServer)) aheadMs = ofServer - Date.now();
    return answer;
  };
  const own = await openKeys(() => ({ ...endpoint, options: { fetch: noting } })).own({ signal });
  return { ...own, aheadMs };
}

/** Why a base or drive of this name is not in the list of names: the key does not reach it, or it holds nothing. */
export async function absence(
  address: ProjectAddress,
  kind: 'bases' | 'drives',
  name: string,
): Promise<string> {
  const endpoint = endpointOf(address, name);
  const options = { limit: 1, signal: address.signal };
  try {
    await (kind === 'bases' ? openBase(endpoint).fetch({}, options) : openDrive(endpoint).list(options));
    return 'there is nothing of this name';
  } catch (cause) {
    if (!(cause instanceof BasedriveError) || ![400, 403].includes(cause.status)) throw cause;
    return cause.message;
  }
}

/** The key of the first item after `last` in an order; undefined if there is none (docs/http.md#query-items). */
export async function edgeKey(
  base: Base,
  options: { readonly desc?: boolean; readonly last?: string | undefined; readonly signal?: AbortSignal },
): Promise<string | undefined> {
  for await (const { key } of base.items({}, { ...options, pageSize: 1, select: ['key'] })) return key;
  return undefined;
}

/** The file of this name; undefined if there is none. */
export async function findFile(
  address: ProjectAddress,
  drive: string,
  name: string,
): Promise<RemoteFile | undefined> {
  // The name itself comes before all others that begin with it.
  const options = { limit: 1, prefix: name, folders: isFolder(name), details: true, signal: address.signal };
  const [first] = (await openDrive(endpointOf(address, drive)).list(options)).files ?? [];
  return first?.name === name ? (first as RemoteFile) : undefined;
}
