import { randomBytes } from 'node:crypto';
import type { Change, ItemStore } from '../../engines/item-store.js';
import { limitedKeysSpace } from '../../spaces.js';

/** The row with which the servers of a store mark the ids of keys. Stored: never rename. */
const secretKey = '!secret';
const secretBytes = 32;

/**
 * What the servers of a store mark ids with. It is no secret of a key: who has it can only make a server look for keys
 * that do not exist. Undefined if there is none, and none is to be made.
 */
export async function readSecret(
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
