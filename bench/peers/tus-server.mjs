// Resumable uploads: @tus/server with its file store. The name of a file comes in the query string, so that it
// can be overwritten and downloaded by that name.
// usage: node tus-server.mjs PORT FOLDER
import { createServer } from 'node:http';
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';

const [port, folder] = process.argv.slice(2);
const tus = new Server({
  path: '/files',
  datastore: new FileStore({ directory: folder }),
  namingFunction: (request) => new URL(request.url).searchParams.get('name'),
});
createServer((request, response) => tus.handle(request, response)).listen(Number(port), '127.0.0.1');
