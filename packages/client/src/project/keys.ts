import { type CallOptions, type Endpoint, parametersOf } from '../http/endpoint.js';
import { writeJson } from '../http/json.js';
import { pages, requestDeletion, requestValue } from '../http/request.js';
import type {
  Access,
  CreateKeyRequest,
  CreateKeyResponse,
  KeyDetails,
  ListKeysResponse,
  OwnKeyResponse,
} from '../http-types.js';
import { withNullOptions } from '../lib/null-options.js';

/** What a new key may do. What is absent is not limited (docs/http.md#create-key). */
export interface NewKey {
  /** What people call the key. */
  readonly name?: string | undefined;
  /** Default: `full`. */
  readonly access?: Access | undefined;
  /** Names of bases. One that ends in `*` stands for all names that begin so. */
  readonly bases?: readonly string[] | undefined;
  /** Names of drives, as `bases`. A key with one of both lists reaches nothing of the other kind. */
  readonly drives?: readonly string[] | undefined;
  /** What the keys of items and the names of files must begin with. */
  readonly prefix?: string | undefined;
  /** The seconds from now on for which the key is valid. */
  readonly expireIn?: number | undefined;
  /** The origins of web pages that may use the key: `https://shop.example`. */
  readonly origins?: readonly string[] | undefined;
  readonly requestsPerSecond?: number | undefined;
  /**
   * False: the key is signed and not stored, so there may be any number of them. `expireIn` is then required, and at most a
   * day. It is in no list, and ends with the key that made it.
   */
  readonly stored?: boolean | undefined;
  /** True: the result has credentials for S3 clients, too: `access_key_id` and `secret_access_key` (docs/s3.md). */
  readonly s3?: boolean | undefined;
}

export interface KeyPageOptions extends CallOptions {
  /** The maximum number of keys: 1–1000, default 1000. */
  readonly limit?: number | undefined;
  readonly last?: string | undefined;
}

/**
 * The keys of a project (docs/http.md#limited-keys). Only a key without limits may use these calls, except `own`; another
 * one gets code `forbidden`. Every call rejects with a `BasedriveError`.
 */
export interface Keys {
  /**
   * Creates a key. Only this result has the key itself, as `key`.
   * @example const { key } = await keys.create({ access: 'read', drives: ['photos'], expireIn: 30 * 24 * 3600 });
   */
  create(limits?: NewKey, options?: CallOptions): Promise<CreateKeyResponse>;
  /** Lists all keys of the project, the oldest first, without the keys themselves: a call for a thousand of them. */
  list(options?: CallOptions): Promise<KeyDetails[]>;
  /** A page of this list. `last`: the `paging.last` of the page before. */
  page(options?: KeyPageOptions): Promise<ListKeysResponse>;
  /** What the key of these calls itself may do. Every key may ask. */
  own(options?: CallOptions): Promise<OwnKeyResponse>;
  /**
   * Deletes a key, which is then refused.
   * @returns false if the project has no key with this id
   */
  delete(id: string, options?: CallOptions): Promise<boolean>;
}

/** The calls on the keys of a project. */
export function openKeys(endpoint: () => Endpoint): Keys {
  const keys: Keys = {
    async create({ expireIn, requestsPerSecond, ...others } = {}, options = {}) {
      const limits: { [Member in keyof CreateKeyRequest]: CreateKeyRequest[Member] | undefined } = {
        ...others,
        expires_in: expireIn,
        requests_per_second: requestsPerSecond,
      };
      // A repeat after a lost answer would make a second key.
      const call = { method: 'POST', path: '/keys', repeatable: false } as const;
      return await requestValue<CreateKeyResponse>(endpoint(), { ...call, body: writeJson(limits) }, options);
    },

    async list(options = {}) {
      const found: KeyDetails[] = [];
      const ask = (last: string | undefined) => keys.page({ ...options, last });
      for await (const page of pages(undefined, ask)) found.push(...page.keys);
      return found;
    },

    async page({ limit, last, ...options } = {}) {
      const call = { method: 'GET', path: `/keys?${parametersOf({ limit, last })}` } as const;
      return await requestValue<ListKeysResponse>(endpoint(), call, options);
    },

    own: async (options = {}) =>
      await requestValue(endpoint(), { method: 'GET', path: '/keys?self=true' }, options),

    delete: async (id, options = {}) =>
      await requestDeletion(endpoint(), `/keys?${parametersOf({ id })}`, options),
  };
  return withNullOptions(keys);
}
