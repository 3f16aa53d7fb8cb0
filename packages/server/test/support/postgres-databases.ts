import type { TestPostgres } from 'basedrive-acceptance/services/postgres.js';
import type { ItemStore } from '../../src/engines/item-store.js';
import { migrateSchema } from '../../src/engines/postgres/schema.js';
import { openPostgresStore } from '../../src/engines/postgres/store.js';

export interface Database {
  readonly name: string;
  readonly url: string;
}

let databases = 0;

/** A new database with the tables of the engine. */
export async function freshDatabase(postgres: TestPostgres): Promise<Database> {
  const name = `test${process.pid}_${++databases}`;
  const url = await postgres.createDatabase(name);
  await migrateSchema(url);
  return { name, url };
}

/** The address of a database by another port: that of a proxy. */
export function throughPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}

/** Opens a store for each address, and closes them after the work. */
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

/** The keys of all rows of the space `s`. */
export async function keysOf(store: ItemStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const rows of store.scan('s')) keys.push(...rows.map(({ key }) => key));
  return keys;
}
