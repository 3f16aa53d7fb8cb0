import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { OperatorError } from '../../operator-error.js';
import { withShortSocketPath } from './socket-path.js';

/**
 * How commands reach the server that has the data folder: HTTP with JSON over a Unix socket in that folder,
 * `POST /{operation}` with the input as the body. 200 carries the result, 422 `{"error"}` what the operation
 * refused. An operation that tells its progress is answered in lines of JSON, `{"progress"}` each, and the last one
 * `{"status","body"}`. Whoever may open the socket may do everything; only the folder's owner may.
 */
const socketName = 'control.sock';
const linesType = 'application/x-ndjson';

/** What a server does for commands, by name. An operation throws `OperatorError` for an input that it cannot take. */
export type Operations = Readonly<Record<string, (input: unknown, call: ControlCall) => Promise<unknown>>>;

/** What an operation that takes long may use. */
export interface ControlCall {
  /** Tells the command how far it has come. */
  readonly progress: (value: unknown) => void;
  /** The command is gone, or the server ends: nobody waits for the result. */
  readonly signal: AbortSignal;
}

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
  const underWay = new Set<AbortController>();
  const server = createServer(async (message, response) => {
    const controller = new AbortController();
    underWay.add(controller);
    response.once('close', () => {
      underWay.delete(controller);
      controller.abort();
    });
    const call: ControlCall = {
      progress(value) {
        if (!response.headersSent) response.writeHead(200, { 'Content-Type': linesType });
        response.write(`${JSON.stringify({ progress: value })}\n`);
      },
      signal: controller.signal,
    };
    const answer = (status: number, body: unknown) => {
      if (response.headersSent) response.end(`${JSON.stringify({ status, body: body ?? null })}\n`);
      else
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body ?? null));
    };
    try {
      const operation = new Map(Object.entries(operations)).get((message.url ?? '').slice(1));
      const input = await text(message);
      if (operation === undefined || message.method !== 'POST') {
        answer(404, { error: 'The running server does not know this command: it is of another version' });
        return;
      }
      answer(200, await operation(JSON.parse(input), call));
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
  await withShortSocketPath(path, (short) => listen(server, short));
  return {
    async close() {
      for (const controller of underWay) controller.abort();
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
  progress: (value: unknown) => void = () => {},
): Promise<{ readonly result: unknown } | undefined> {
  try {
    const { status, body } = await withShortSocketPath(join(folder, socketName), (short) =>
      post(short, operation, input, progress),
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

interface Answer {
  readonly status: number | undefined;
  readonly body: unknown;
}

function post(
  socketPath: string,
  operation: string,
  input: unknown,
  progress: (value: unknown) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request({ socketPath, method: 'POST', path: `/${operation}`, agent: false }, (response) => {
      const isLines = response.headers['content-type'] === linesType;
      const answer = isLines ? lastLine(response, progress) : whole(response);
      answer.then(resolve, reject);
    });
    call.on('error', reject);
    call.end(JSON.stringify(input ?? null));
  });
}

async function whole(response: IncomingMessage): Promise<Answer> {
  return { status: response.statusCode, body: JSON.parse(await text(response)) };
}

async function lastLine(response: IncomingMessage, progress: (value: unknown) => void): Promise<Answer> {
  // Readline would not tell of a connection that broke.
  let rest = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const value = JSON.parse(line) as Answer | { progress: unknown };
        if ('status' in value) return value;
        progress(value.progress);
      }
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ECONNRESET') throw cause;
  }
  throw new OperatorError('The server stopped while the command ran');
}

/** No socket file, or one that a crash left behind. */
function isNobodyThere(cause: unknown): boolean {
  const code = (cause as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ECONNREFUSED';
}
