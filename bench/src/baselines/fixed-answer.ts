// The least that a Node server can do for a GET: it sends a prepared answer.
// usage: node fixed-answer.js PORT BODY
import { createServer } from 'node:http';

const [port, text] = process.argv.slice(2);
const body = Buffer.from(text!);
const head = ['Content-Type', 'application/json', 'Content-Length', String(body.length)];

createServer((_request, response) => {
  response.writeHead(200, head);
  response.end(body);
}).listen(Number(port), '127.0.0.1');
