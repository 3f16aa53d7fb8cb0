import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { floodShapes } from './floods.js';

// A process of its own, so that only the server can delay the client that is measured. Its arguments: the
// protocol, the port, the project, the key, the number of connections, the shape. It ends when its standard input does.

const [protocol, port, project = '', key = '', connections, shape = ''] = process.argv.slice(2);
const chunkBytes = 1024 * 1024;
const one = floodShapes[shape]?.(`/v1/${project}/flood/items`, key) ?? '';
const many = Buffer.from(one.repeat(Math.ceil(chunkBytes / one.length)));

async function flood(): Promise<void> {
  const address = { port: Number(port), host: '127.0.0.1' };
  // A flood does not ask who it floods.
  const socket =
    protocol === 'https:' ? connectSecurely({ ...address, rejectUnauthorized: false }) : connect(address);
  // The server may refuse the flood by closing the connection.
  socket.on('error', () => {});
  socket.resume();
  await once(socket, protocol === 'https:' ? 'secureConnect' : 'connect');
  const write = () => {
    while (socket.write(many));
  };
  socket.on('drain', write);
  write();
}

await Promise.all(Array.from({ length: Number(connections) }, flood));
process.stdout.write('flooding\n');
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
