// What a developer would write: JSON documents by key in SQLite (WAL, synchronous FULL), one commit per request.
// usage: node sqlite-server.mjs PORT FILE
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { DatabaseSync } from '@photostructure/sqlite';

const [port, file] = process.argv.slice(2);
const db = new DatabaseSync(file);
db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE IF NOT EXISTS items (key TEXT PRIMARY KEY, item TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS bulk (key TEXT PRIMARY KEY, item TEXT NOT NULL) WITHOUT ROWID`);
const get = db.prepare('SELECT item FROM items WHERE key = ?');
const putInto = (table) =>
  db.prepare(`INSERT INTO ${table} VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET item = excluded.item`);
const put = putInto('items');
const putBulk = putInto('bulk');
const insert = db.prepare('INSERT INTO items VALUES (?, ?) ON CONFLICT DO NOTHING');
const increment = db.prepare(
  "UPDATE items SET item = json_set(item, '$.count', json_extract(item, '$.count') + 1) WHERE key = ?",
);

const count = "json_extract(item, '$.count')";
const ordered = db.prepare(`SELECT item FROM items ORDER BY ${count} DESC, key LIMIT 10`);
const counted = db.prepare(`SELECT count(*) AS count FROM items WHERE ${count} >= ?`);
const add = db.prepare(
  `UPDATE items SET item = json_set(item, '$.count', ${count} + :by) WHERE key = :key AND ${count} + :by >= 0`,
);
const batchItems = 1000;
const nextItems = db.prepare(`SELECT key, item FROM bulk WHERE key > ? ORDER BY key LIMIT ${batchItems}`);

const number = "json_extract(item, '$.number')";
// Prepared once the items and the index are there, so that SQLite can choose it.
let range;
let between;

/** One transaction; it is rolled back if `work` returns false. */
function transact(work) {
  db.exec('BEGIN IMMEDIATE');
  const isDone = work();
  db.exec(isDone === false ? 'ROLLBACK' : 'COMMIT');
  return isDone;
}

const routes = {
  'GET /items'({ key }) {
    const row = get.get(key);
    return row === undefined ? [404, '{}'] : [200, row.item];
  },
  async 'PUT /items'({ request }) {
    const body = await text(request);
    transact(() => {
      for (const item of JSON.parse(body)) put.run(item.key, JSON.stringify(item));
    });
    return [200, body];
  },
  async 'POST /items'({ request }) {
    const body = await text(request);
    return insert.run(JSON.parse(body).key, body).changes === 1 ? [201, body] : [409, '{}'];
  },
  'PATCH /items'({ key }) {
    return increment.run(key).changes === 1 ? [200, `{"key":"${key}"}`] : [404, '{}'];
  },
  'GET /ordered': () => [
    200,
    `[${ordered
      .all()
      .map(({ item }) => item)
      .join(',')}]`,
  ],
  'GET /counted': ({ key }) => [200, `{"count":${counted.get(Number(key)).count}}`],
  'POST /index'() {
    db.exec(`CREATE INDEX IF NOT EXISTS items_count ON items (${count} DESC, key); ANALYZE`);
    return [200, '{}'];
  },
  // Ranges of the numbers of the items in bulk.
  'POST /number-index'() {
    db.exec(`CREATE INDEX IF NOT EXISTS bulk_number ON bulk (${number}); ANALYZE`);
    range = db.prepare(`SELECT item FROM bulk WHERE ${number} >= ? ORDER BY ${number} LIMIT 10`);
    between = db.prepare(`SELECT count(*) AS count FROM bulk WHERE ${number} >= ? AND ${number} < ?`);
    return [200, '{}'];
  },
  'GET /range'({ key }) {
    const rows = range.all(Number(key));
    return [200, `[${rows.map(({ item }) => item).join(',')}]`];
  },
  'GET /between': ({ key, to }) => [200, `{"count":${between.get(Number(key), Number(to)).count}}`],
  // Adds to the counts of several items, all of them or none; no count becomes negative.
  async 'POST /transactions'({ request }) {
    const changes = JSON.parse(await text(request));
    const isDone = transact(() => changes.every(([key, by]) => add.run({ key, by }).changes === 1));
    return isDone ? [200, `{"changed":${changes.length}}`] : [412, '{}'];
  },
  async 'PUT /bulk'({ request }) {
    let lines = [];
    let stored = 0;
    const store = () => {
      transact(() => {
        for (const line of lines) putBulk.run(JSON.parse(line).key, line);
      });
      stored += lines.length;
      lines = [];
    };
    for await (const line of createInterface({ input: request })) {
      lines.push(line);
      if (lines.length === batchItems) store();
    }
    if (lines.length > 0) store();
    return [200, `{"stored":${stored}}\n`];
  },
  async 'GET /bulk'({ response }) {
    response.writeHead(200, { 'Content-Type': 'application/x-ndjson' });
    for (let last = ''; ; ) {
      const rows = nextItems.all(last);
      if (rows.length === 0) return response.end();
      last = rows.at(-1).key;
      const lines = rows.map(({ item }) => `${item}\n`).join('');
      if (!response.write(lines)) await new Promise((resolve) => response.once('drain', resolve));
    }
  },
};

createServer(async (request, response) => {
  const [, collection, key, to] = request.url.split('/');
  const route = routes[`${request.method} /${collection}`] ?? (() => [404, '{}']);
  const answer = await route({ request, response, key, to });
  if (!Array.isArray(answer)) return;
  response.writeHead(answer[0], { 'Content-Type': 'application/json' }).end(answer[1]);
}).listen(Number(port), '127.0.0.1');
