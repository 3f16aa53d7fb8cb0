// What a developer would write: JSON documents by key on PostgreSQL, with node:http and pg.
// usage: node postgres-server.mjs PORT POSTGRES_PORT USER
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import pg from 'pg';

const [port, postgresPort, user] = process.argv.slice(2);
const pool = new pg.Pool({
  host: '127.0.0.1',
  port: Number(postgresPort),
  user,
  database: 'postgres',
  max: 20,
});
for (const table of ['items', 'bulk']) {
  await pool.query(
    `CREATE TABLE IF NOT EXISTS ${table} (key text COLLATE "C" PRIMARY KEY, item jsonb NOT NULL)`,
  );
}

// A named statement is prepared once for each connection.
const putInto = (table) =>
  `INSERT INTO ${table} SELECT item->>'key', item FROM jsonb_array_elements($1::jsonb) AS item ` +
  'ON CONFLICT (key) DO UPDATE SET item = excluded.item';
const insert = "INSERT INTO items VALUES ($1::jsonb->>'key', $1::jsonb) ON CONFLICT DO NOTHING";
const increment =
  "UPDATE items SET item = jsonb_set(item, '{count}', to_jsonb((item->>'count')::numeric + 1)) WHERE key = $1";

const count = "(item->>'count')::numeric";
const ordered = `SELECT item::text FROM items ORDER BY ${count} DESC, key LIMIT 10`;
const counted = `SELECT count(*) FROM items WHERE ${count} >= $1`;
const add =
  "UPDATE items SET item = jsonb_set(item, '{count}', to_jsonb((item->>'count')::numeric + $2)) " +
  `WHERE key = $1 AND ${count} + $2 >= 0`;
const number = "(item->>'number')::numeric";
const range = `SELECT item::text FROM bulk WHERE ${number} >= $1 ORDER BY ${number} LIMIT 10`;
const between = `SELECT count(*) FROM bulk WHERE ${number} >= $1 AND ${number} < $2`;
const batchItems = 1000;
const nextItems = `SELECT key, item::text FROM bulk WHERE key > $1 ORDER BY key LIMIT ${batchItems}`;

const routes = {
  async 'GET /items'({ key }) {
    const { rows } = await pool.query({
      name: 'get',
      text: 'SELECT item::text FROM items WHERE key = $1',
      values: [key],
    });
    return rows.length === 0 ? [404, '{}'] : [200, rows[0].item];
  },
  async 'PUT /items'({ request }) {
    const body = await text(request);
    await pool.query({ name: 'put', text: putInto('items'), values: [body] });
    return [200, body];
  },
  async 'POST /items'({ request }) {
    const body = await text(request);
    const { rowCount } = await pool.query({ name: 'insert', text: insert, values: [body] });
    return rowCount === 1 ? [201, body] : [409, '{}'];
  },
  async 'PATCH /items'({ key }) {
    const { rowCount } = await pool.query({ name: 'increment', text: increment, values: [key] });
    return rowCount === 1 ? [200, `{"key":"${key}"}`] : [404, '{}'];
  },
  async 'GET /ordered'() {
    const { rows } = await pool.query({ name: 'ordered', text: ordered });
    return [200, `[${rows.map(({ item }) => item).join(',')}]`];
  },
  async 'GET /counted'({ key }) {
    const { rows } = await pool.query({ name: 'counted', text: counted, values: [key] });
    return [200, `{"count":${rows[0].count}}`];
  },
  async 'POST /index'() {
    await pool.query(`CREATE INDEX IF NOT EXISTS items_count ON items ((${count}) DESC, key)`);
    // Without statistics, the planner may still read all rows.
    await pool.query('VACUUM ANALYZE items');
    return [200, '{}'];
  },
  // Ranges of the numbers of the items in bulk.
  async 'POST /number-index'() {
    await pool.query(`CREATE INDEX IF NOT EXISTS bulk_number ON bulk ((${number}))`);
    await pool.query('VACUUM ANALYZE bulk');
    return [200, '{}'];
  },
  async 'GET /range'({ key }) {
    const { rows } = await pool.query({ name: 'range', text: range, values: [key] });
    return [200, `[${rows.map(({ item }) => item).join(',')}]`];
  },
  async 'GET /between'({ key, to }) {
    const { rows } = await pool.query({ name: 'between', text: between, values: [key, to] });
    return [200, `{"count":${rows[0].count}}`];
  },
  // Adds to the counts of several items, all of them or none; no count becomes negative.
  async 'POST /transactions'({ request }) {
    const changes = JSON.parse(await text(request));
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      for (const [key, by] of changes) {
        const { rowCount } = await client.query({ name: 'add', text: add, values: [key, by] });
        if (rowCount === 1) continue;
        await client.query('ROLLBACK');
        return [412, '{}'];
      }
      await client.query('COMMIT');
      return [200, `{"changed":${changes.length}}`];
    } finally {
      client.release();
    }
  },
  async 'PUT /bulk'({ request }) {
    let lines = [];
    let stored = 0;
    const store = async () => {
      await pool.query({ name: 'bulk', text: putInto('bulk'), values: [`[${lines.join(',')}]`] });
      stored += lines.length;
      lines = [];
    };
    for await (const line of createInterface({ input: request })) {
      lines.push(line);
      if (lines.length === batchItems) await store();
    }
    if (lines.length > 0) await store();
    return [200, `{"stored":${stored}}\n`];
  },
  async 'GET /bulk'({ response }) {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
    for (let last = ''; ; ) {
      const { rows } = await pool.query({ name: 'next', text: nextItems, values: [last] });
      if (rows.length === 0) return response.end();
      last = rows.at(-1).key;
      const lines = rows.map(({ item }) => `${item}\n`).join('');
      if (!response.write(lines)) await new Promise((resolve) => response.once('drain', resolve));
    }
  },
};

createServer(async (request, response) => {
  try {
    const [, collection, key, to] = request.url.split('/');
    const route = routes[`${request.method} /${collection}`] ?? (() => [404, '{}']);
    const answer = await route({ request, response, key, to });
    if (!Array.isArray(answer)) return;
    response.writeHead(answer[0], { 'Content-Type': 'application/json' }).end(answer[1]);
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
}).listen(Number(port), '127.0.0.1');
