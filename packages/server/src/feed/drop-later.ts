import type { KeysSoFar } from '../engines/change-log.js';
import type { ItemStore } from '../engines/item-store.js';
import { changesSpace } from '../spaces.js';

const rowsAtOnce = 500;

/**
 * Drops the rows of logs from a key on that no commit has written here: they were restored, and the keys that are given
 * now would meet them. So does what says that changes were dropped.
 */
export async function dropLater(
  items: Pick<ItemStore, 'spaces' | 'scan' | 'transact'>,
  log: { soFar(): Promise<KeysSoFar> },
  from: string,
): Promise<void> {
  for await (const space of items.spaces(`${changesSpace}/`)) {
    for (let gte = from; ; ) {
      const keys: string[] = [];
      for await (const rows of items.scan(space, { gte, limit: rowsAtOnce }))
        keys.push(...rows.map(({ key }) => key));
      if (keys.length === 0) break;
      // Asked after the rows were read: what another server has written by then is before it.
      const { unused } = await log.soFar();
      const deletes = keys.filter((key) => key >= unused);
      if (deletes.length > 0)
        await items.transact(space, [], () => ({ deletes, makesRoom: true, result: undefined }));
      const last = keys.at(-1);
      if (last === undefined || keys.length < rowsAtOnce) break;
      gte = last;
    }
  }
}
