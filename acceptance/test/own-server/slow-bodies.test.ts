import { test } from 'node:test';
import { freshBase, freshDrive } from '../../src/names.js';
import { launchTarget } from '../../src/target.js';
import { expectStatus } from '../support/expect.js';
import { openRaw } from '../support/raw-connection.js';
import { useService } from '../support/service.js';

/** More than the server has places. */
const slowOnes = 8;
const service = useService(() => launchTarget('--max-requests', '4'));

for (const [title, requestOf] of [
  ['queries', (root: string, key: string) => `POST ${root}/query HTTP/1.1\r\nX-API-Key: ${key}\r\n`],
  ['uploads', (root: string, key: string) => `POST ${root}/files?name=f HTTP/1.1\r\nX-API-Key: ${key}\r\n`],
  ['forms of S3, without a key', () => 'POST /bucket HTTP/1.1\r\n'],
] as const) {
  test(`clients that stop in the middle of bodies do not take the places of others: ${title}`, async () => {
    const { api, target } = service;
    const base = freshBase(api);
    const drive = freshDrive(api);
    const type = title.startsWith('forms') ? 'multipart/form-data; boundary=x' : 'application/json';
    const head = `${requestOf(`/v1/${target.project}/slow`, target.key)}Host: x\r\nContent-Type: ${type}\r\n`;
    const connections = [];
    for (let n = 0; n < slowOnes; n++) {
      const connection = await openRaw(target);
      // The server has begun the request when it asks for the body.
      connection.write(`${head}Expect: 100-continue\r\nContent-Length: 100000\r\n\r\n`);
      await connection.answerStarted();
      connection.write('--x\r\n');
      connections.push(connection);
    }
    expectStatus(await base.get('none'), 404);
    expectStatus(await base.put({ key: 'k', text: 'x'.repeat(100_000) }), 207);
    expectStatus(await drive.put('f', Buffer.alloc(1_000_000)), 201);
    for (const connection of connections) connection.destroy();
  });
}
