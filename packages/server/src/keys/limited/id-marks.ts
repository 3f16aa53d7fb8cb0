import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Change, ItemStore } from '../../engines/item-store.js';
import { limitedKeysSpace } from '../../spaces.js';
import { isKeyId, isMarkedId } from './key-id.js';

/** In a store without limited keys, made-up keys cause at most one read in this time. */
const pauseMs = 100;

export type IdMarks = Awaited<ReturnType<typeof openIdMarks>>;

/** The marks of the ids of limited keys: they tell the ids that servers of this store have made from made-up ones. */
export async function openIdMarks(items: ItemStore) {
  let secret = await readSecret(items);
  let nextLookMs = 0;
  let nextLook: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    const before = secret;
    const stored = await readSecret(items);
    // A secret that was made in the meantime stays.
    if (secret === before) secret = stored;
  }

  /** Reads the secret, once for all who ask before it does. */
  async function look(): Promise<void> {
    const waitMs = nextLookMs - performance.now();
    await (waitMs > 0 ? pause(waitMs) : undefined);
    nextLook = undefined;
    nextLookMs = performance.now() + pauseMs;
    await refresh();
  }

  const isMarkedNow = (id: string) => secret !== undefined && isMarkedId(id, secret);
  return {
    /** Reads the secret that another server may have made, also in place of one that the database has lost. */
    refresh,

    /**
     * Whether a server of this store has made the id. It is a promise where only the rows can tell: it rejects with
     * `StorageUnavailable`.
     */
    isMarked(id: string) {
      if (!isKeyId(id)) return false;
      if (secret !== undefined || !items.isShared) return isMarkedNow(id);
      // Another server may have made the first limited key just now.
      nextLook ??= look();
      return nextLook.then(() => isMarkedNow(id));
    },

    /** The secret with which new ids are marked. */
    async secret() {
      secret ??= await readSecret(items, { make: true });
      return secret as string;
    },
  };
}

/** The row with which the servers of a store mark the ids of keys. Stored: never rename. */
const secretKey = '!secret';
const secretBytes = 32;

/**
 * What the servers of a store mark ids with. It is no secret of a key: who has it can only make a server look for keys
 * that do not exist. Undefined if there is none, and none is to be made.
 */
async function readSecret(
  items: ItemStore,
  { make = false }: { readonly make?: boolean } = {},
): Promise<string | undefined> {
  if (!make) return (await items.get(limitedKeysSpace, secretKey))?.toString();
  const made = randomBytes(secretBytes).toString('base64');
  return await items.transact(
    limitedKeysSpace,
    [secretKey],
    ([before]): Change<string> =>
      before === undefined
        ? { puts: [{ key: secretKey, value: Buffer.from(made) }], result: made }
        : { result: before.toString() },
  );
}
