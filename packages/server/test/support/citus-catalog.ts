import type { TestPostgres } from 'basedrive-acceptance/services/postgres.js';

/**
 * Gives a database of a plain PostgreSQL what the engine asks of Citus: the extension's row, the catalogue of
 * distributed tables, and the function that distributes one. The rows stay where they are.
 */
export async function installCitusCatalog(postgres: TestPostgres, database: string): Promise<void> {
  const statements = [
    `INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
      VALUES (99999, 'citus', 10, 11, false, '12.1')`,
    'CREATE TABLE pg_dist_partition (logicalrelid regclass PRIMARY KEY, partkey text)',
    `CREATE FUNCTION column_to_column_name(regclass, text) RETURNS text LANGUAGE sql STRICT AS 'SELECT $2'`,
    `CREATE FUNCTION create_distributed_table(regclass, text) RETURNS void LANGUAGE sql
      AS 'INSERT INTO pg_dist_partition VALUES ($1, $2)'`,
  ];
  for (const statement of statements) await postgres.ask(statement, database);
}
