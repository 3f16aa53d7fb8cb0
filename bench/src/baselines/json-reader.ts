// The least that a Node server can do for a PUT: it reads the body, parses the JSON and answers. It stores nothing.
// usage: node json-reader.js PORT
import { createServer } from 'node:http';

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const text = (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).toString();
    const members = text === '' ? 0 : Object.keys(JSON.parse(text) as object).length;
    const body = `{"read":${members}}`;
    response.writeHead(200, ['Content-Type', 'application/json', 'Content-Length', String(body.length)]);
    response.end(body);
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
