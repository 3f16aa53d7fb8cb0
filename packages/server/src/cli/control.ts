import { rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { OperatorError } from '../operator-error.js';
import { withShortPath } from './socket-path.js';

/**
 * How commands reach the server that has the data folder: HTTP with JSON over a Unix socket in that folder,
 * `POST /{operation}` with the input as the body. 200 carries the result, 422 `{"error"}` what the operation
 * refused. Whoever may open the socket may do everything; only the folder's owner may.
 */
const socketName = 'control.sock';

/** What a server does for commands, by name. An operation throws `OperatorError` for an input that it cannot take. */
export type Operations = Readonly<Record<string, (input: unknown) => Promise<unknown>>>;

export interface Control {
  close(): Promise<void>;
}

/** The server's end. Call it only when the folder is taken (its rows are open): a socket file left by a crash is replaced. */
export async function openControl(
  folder: string,
  operations: Operations,
  failed: (cause: unknown) => void,
): Promise<Control> {
  const path = join(folder, socketName);
  const server = createServer(async (message, response) => {
    const answer = (status: number, body: unknown) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body ?? null));
    };
    try {
      const operation = new Map(Object.entries(operations)).get((message.url ?? '').slice(1));
      const input = await text(message);
      if (operation === undefined || message.method !== 'POST') {
        answer(404, { error: 'The running server does not know this command: it is of another version' });
        return;
      }
      answer(200, await operation(JSON.parse(input)));
    } catch (cause) {
      if (cause instanceof OperatorError) {
        answer(422, { error: cause.message });
        return;
      }
      failed(cause);
      answer(500, { error: 'The running server failed; its log says why' });
    }
  });
  await rm(path, { force: true });
  await withShortPath(path, (short) => listen(server, short));
  return {
    async close() {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeIdleConnections();
      });
      await rm(path, { force: true });
    },
  };
}

/** The command's end. Gives undefined when no server listens there. Throws `OperatorError`. */
export async function callControl(
  folder: string,
  operation: string,
  input: unknown,
): Promise<{ readonly result: unknown } | undefined> {
  try {
    const { status, body } = await withShortPath(join(folder, socketName), (short) =>
      post(short, operation, input),
    );
    if (status === 200) return { result: body };
    throw new OperatorError((body as { error: string }).error);
  } catch (cause) {
    if (isNobodyThere(cause)) return undefined;
    throw cause;
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // Mode 0600 from its first moment on; Node binds within the call.
    const umask = process.umask(0o177);
    try {
      server.listen(path, () => {
        server.removeListener('error', reject);
        resolve();
      });
    } finally {
      process.umask(umask);
    }
  });
}

function post(
  socketPath: string,
  operation: string,
  input: unknown,
): Promise<{ status: number | undefined; body: unknown }> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, method: 'POST', path: `/${operation}`, agent: false }, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode, body: JSON.parse(body) }), reject);
    });
    call.on('error', reject);
    call.end(JSON.stringify(input ?? null));
  });
}

/** No socket file, or one that a crash left behind. */
function isNobodyThere(cause: unknown): boolean {
  const code = (cause as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ECONNREFUSED';
}
