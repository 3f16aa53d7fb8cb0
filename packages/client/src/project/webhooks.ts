import { type CallOptions, type Endpoint, percentEncode } from '../http/endpoint.js';
import { writeJson } from '../http/json.js';
import { requestDeletion, requestValue } from '../http/request.js';
import type {
  ChangeHookResponse,
  CreateHookResponse,
  ListHooksResponse,
  TestHookResponse,
  Webhook,
} from '../http-types.js';
import type { Query } from '../items/query.js';
import { withNullOptions } from '../lib/null-options.js';

/** What a new webhook sends, and where (docs/http.md#create-webhook). */
export interface NewWebhook {
  /** `https://…` or `http://…` */
  readonly url: string;
  /** What people call it. */
  readonly name?: string | undefined;
  /** Names of bases; one with `*` at its end means all that begin so. If only bases or only drives are named, no others are sent. */
  readonly bases?: readonly string[] | undefined;
  /** The same for drives. */
  readonly drives?: readonly string[] | undefined;
  /** Only keys and names of files that begin with this. */
  readonly prefix?: string | undefined;
  /** An item that has changed and does not match comes as a deletion. */
  readonly query?: Query | undefined;
  /** False: without the items. */
  readonly values?: boolean | undefined;
  /** Where it begins: `now`, which is the default, `0` for everything that is there, or a `cursor`. */
  readonly since?: string | undefined;
}

/** What is to become of a webhook (docs/http.md#change-webhook). What is absent stays. */
export interface WebhookChange extends Partial<Pick<NewWebhook, 'url' | 'since'>> {
  /** `null` for none. */
  readonly name?: string | null | undefined;
  readonly paused?: boolean | undefined;
}

/**
 * The webhooks of a project (docs/http.md#webhooks). They need a key with `full` access, which sees those that it made; one
 * without limits sees all. Every call rejects with a `BasedriveError`.
 */
export interface Webhooks {
  /**
   * Creates a webhook. Only this result has its `secret`.
   * @example const { secret } = await webhooks.create({ url: 'https://example.com/in', bases: ['orders'] });
   */
  create(webhook: NewWebhook, options?: CallOptions): Promise<CreateHookResponse>;
  /** Lists the webhooks, the oldest first. */
  list(options?: CallOptions): Promise<Webhook[]>;
  /** Changes, pauses or resumes one. Gives it as it is then. */
  change(id: string, change: WebhookChange, options?: CallOptions): Promise<ChangeHookResponse>;
  /** Sends a message without changes now, and says what became of it. */
  test(id: string, options?: CallOptions): Promise<TestHookResponse>;
  /**
   * Deletes one.
   * @returns false if there is none with this id
   */
  delete(id: string, options?: CallOptions): Promise<boolean>;
}

/** The calls on the webhooks of a project. */
export function openWebhooks(endpoint: () => Endpoint): Webhooks {
  const pathOf = (id: string) => `/hooks/${percentEncode('id', id)}`;
  return withNullOptions<Webhooks>({
    create: async (webhook, options = {}) =>
      await requestValue(
        endpoint(),
        // A repeat after a lost answer would make a second one.
        { method: 'POST', path: '/hooks', body: writeJson({ ...webhook }, 1), repeatable: false },
        options,
      ),

    async list(options = {}) {
      const call = { method: 'GET', path: '/hooks' } as const;
      return [...(await requestValue<ListHooksResponse>(endpoint(), call, options)).hooks];
    },

    change: async (id, change, options = {}) =>
      await requestValue(
        endpoint(),
        { method: 'PATCH', path: pathOf(id), body: writeJson({ ...change }), repeatable: true },
        options,
      ),

    test: async (id, options = {}) =>
      await requestValue(endpoint(), { method: 'POST', path: `${pathOf(id)}/test` }, options),

    delete: async (id, options = {}) => await requestDeletion(endpoint(), pathOf(id), options),
  });
}
