import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { main, temporaryFolder } from '../support/run-cli.js';

/** Something that accepts connections and never answers. `reached` resolves when it has another one. */
async function silence(context: TestContext, path?: string) {
  const server = createServer();
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    context.after(() => socket.destroy());
  });
  server.listen(path === undefined ? { host: '127.0.0.1', port: 0 } : { path });
  await once(server, 'listening');
  context.after(() => server.close());
  const address = server.address();
  return {
    reached: () => once(server, 'connection'),
    port: typeof address === 'object' ? address?.port : undefined,
  };
}

/** Asks a command to stop that waits for an answer, and gives how it ended. */
async function interrupted(
  options: readonly string[],
  { reached, signal = 'SIGINT', variables = {} }: InterruptedOptions,
) {
  const hasReached = reached();
  const child = spawn(process.execPath, [main, ...options], {
    env: { PATH: process.env.PATH, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, ended] = [text(child.stdout), text(child.stderr), once(child, 'exit')];
  await Promise.race([hasReached, ended]);
  child.kill(signal);
  const [code] = (await ended) as [number | null];
  return { code, out: await out, err: await err };
}

interface InterruptedOptions {
  readonly reached: () => Promise<unknown>;
  readonly signal?: NodeJS.Signals;
  readonly variables?: NodeJS.ProcessEnv;
}

test('commands that Ctrl-C or SIGTERM ends say in one line what to do next', async (context) => {
  const top = await temporaryFolder(context);
  const to = join(top, 'to');
  const advice: readonly (readonly [string, readonly string[], string])[] = [
    ['backup', [to], 'run the same command again for a complete backup'],
    ['copy', ['--to', to], 'run the same command again, and the copy goes on'],
    ['check', [], 'run the same command again to read the whole store'],
    ['projects', ['delete', 'demo', 'demo'], 'a deletion that has begun goes on whenever a server runs'],
  ];
  for (const [name, options, told] of advice) {
    // A server that has the folder, and does not answer.
    const folder = await temporaryFolder(context);
    await writeFile(join(folder, 'FORMAT'), '5\n');
    const { reached } = await silence(
      context,
      join(folder, name === 'projects' ? 'api.sock' : 'control.sock'),
    );
    const data = name === 'copy' ? '--from' : '--data';
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      assert.deepEqual(await interrupted([name, ...options, data, folder], { reached, signal }), {
        code,
        out: '',
        err: `basedrive: Interrupted: ${told}\n`,
      });
    }
  }
});

test('a restore that Ctrl-C ends says that what it has written must be deleted', async (context) => {
  const { reached, port } = await silence(context);
  const data = join(await temporaryFolder(context), 'data');
  const variables = {
    BASEDRIVE_S3_ENDPOINT: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  assert.deepEqual(
    await interrupted(['restore', 's3://bucket/backups', '--data', data], { reached, variables }),
    {
      code: 130,
      out: '',
      err: 'basedrive: Interrupted: delete what it has stored, and run the same command again\n',
    },
  );
});
