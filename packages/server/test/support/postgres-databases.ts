import type { TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { migrateSchema } from '../../src/engines/postgres/schema.js';
import { openPostgresStore } from '../../src/engines/postgres/store.js';

export interface Database {
  readonly name: string;
  readonly url: string;
}

let databases = 0;

/** A database of its own, with the tables in it. */
export async function freshDatabase(postgres: TestPostgres): Promise<Database> {
  const name = `test${process.pid}_${++databases}`;
  const url = await postgres.createDatabase(name);
  await migrateSchema(url);
  return { name, url };
}

/** As many stores as `urls`, closed when the work is done. */
export async function withStoresAt(
  urls: readonly string[],
  work: (stores: ItemStore[]) => Promise<void>,
): Promise<void> {
  const stores = await Promise.all(urls.map((url) => openPostgresStore({ url })));
  try {
    await work(stores);
  } finally {
    await Promise.all(stores.map((store) => store.close()));
  }
}
