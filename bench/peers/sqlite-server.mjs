// What a developer would write: JSON documents by key in SQLite (WAL, synchronous FULL), one commit per request.
// usage: node sqlite-server.mjs PORT FILE
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { DatabaseSync } from '@photostructure/sqlite';

const [port, file] = process.argv.slice(2);
const db = new DatabaseSync(file);
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS items (key TEXT PRIMARY KEY, item TEXT NOT NULL) WITHOUT ROWID`);
const get = db.prepare('SELECT item FROM items WHERE key = ?');
const put = db.prepare(
  'INSERT INTO items VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET item = excluded.item',
);
const insert = db.prepare('INSERT INTO items VALUES (?, ?) ON CONFLICT DO NOTHING');
const increment = db.prepare(
  "UPDATE items SET item = json_set(item, '$.count', json_extract(item, '$.count') + 1) WHERE key = ?",
);

const routes = {
  GET(key) {
    const row = get.get(key);
    return row === undefined ? [404, '{}'] : [200, row.item];
  },
  PUT(_key, body) {
    db.exec('BEGIN IMMEDIATE');
    for (const item of JSON.parse(body)) put.run(item.key, JSON.stringify(item));
    db.exec('COMMIT');
    return [200, body];
  },
  POST(_key, body) {
    return insert.run(JSON.parse(body).key, body).changes === 1 ? [201, body] : [409, '{}'];
  },
  PATCH(key) {
    return increment.run(key).changes === 1 ? [200, `{"key":"${key}"}`] : [404, '{}'];
  },
};

createServer(async (request, response) => {
  const body = request.method === 'GET' ? '' : await text(request);
  const [status, answer] = routes[request.method](request.url.slice('/items/'.length), body);
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(answer);
}).listen(Number(port), '127.0.0.1');
