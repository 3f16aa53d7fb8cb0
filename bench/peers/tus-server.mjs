// Resumable uploads: @tus/server with its file store. The query string has the name of the file, so that the file can
// be overwritten and downloaded under that name.
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
