import { type MigrateOptions, migrateItems, shownAddress } from '../engines/registry.js';

export interface MigrateCommand extends MigrateOptions {
  /** Of `--items`. */
  readonly items: string | undefined;
  readonly print: (text: string) => void;
}

/** `migrate`: makes the tables of a database, and prints what it did. Rows in a folder need nothing. */
export async function migrate({ items, distribute, print }: MigrateCommand): Promise<void> {
  if (items === undefined) {
    print('Rows in a data folder need no migration: nothing to do');
    return;
  }
  const done = await migrateItems(items, { distribute });
  print(`${shownAddress(items)}: ${done.length === 0 ? 'nothing to do' : done.join('; ')}`);
}
