// What a developer would write: JSON documents by key on PostgreSQL, with node:http and pg.
// usage: node postgres-server.mjs PORT POSTGRES_PORT USER
import { createServer } from 'node:http';
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
await pool.query('CREATE TABLE IF NOT EXISTS items (key text COLLATE "C" PRIMARY KEY, item jsonb NOT NULL)');

// A named statement is prepared once for each connection.
const put =
  "INSERT INTO items SELECT item->>'key', item FROM jsonb_array_elements($1::jsonb) AS item " +
  'ON CONFLICT (key) DO UPDATE SET item = excluded.item';
const insert = "INSERT INTO items VALUES ($1::jsonb->>'key', $1::jsonb) ON CONFLICT DO NOTHING";
const increment =
  "UPDATE items SET item = jsonb_set(item, '{count}', to_jsonb((item->>'count')::numeric + 1)) WHERE key = $1";

const routes = {
  async GET(key) {
    const { rows } = await pool.query({
      name: 'get',
      text: 'SELECT item::text FROM items WHERE key = $1',
      values: [key],
    });
    return rows.length === 0 ? [404, '{}'] : [200, rows[0].item];
  },
  async PUT(_key, body) {
    await pool.query({ name: 'put', text: put, values: [body] });
    return [200, body];
  },
  async POST(_key, body) {
    const { rowCount } = await pool.query({ name: 'insert', text: insert, values: [body] });
    return rowCount === 1 ? [201, body] : [409, '{}'];
  },
  async PATCH(key) {
    const { rowCount } = await pool.query({ name: 'increment', text: increment, values: [key] });
    return rowCount === 1 ? [200, `{"key":"${key}"}`] : [404, '{}'];
  },
};

createServer(async (request, response) => {
  try {
    const body = request.method === 'GET' ? '' : await text(request);
    const [status, answer] = await routes[request.method](request.url.slice('/items/'.length), body);
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(answer);
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
}).listen(Number(port), '127.0.0.1');
