import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { isBadSector, StorageUnavailable, textForOperator } from '../../engines/storage-errors.js';
import { isSystemError } from '../../lib/folder.js';
import { OperatorError } from '../../operator-error.js';

/**
 * Commands reach the server that has the data folder over a Unix socket in that folder. The protocol is HTTP with JSON:
 * `POST /{operation}` with the input as the body. 200 has the result, 422 `{"error"}` the reason of a refusal. The
 * answer to an operation that reports progress is lines of JSON: `{"progress"}`, and `{"status","body"}` as the last
 * one. There is no other access control: only the folder's owner can open the socket, and the owner may do everything.
 */
const socketName = 'control.sock';
const linesType = 'application/x-ndjson';

/** The name of what is done for all commands that have no operation of their own. */
export const anyOther = '*';

/** What a server does for commands, by name. An operation throws `OperatorError` for an input that it refuses. */
export type Operations = Readonly<Record<string, (input: unknown, call: ControlCall) => Promise<unknown>>>;

/** What a long operation may use. */
export interface ControlCall {
  /** Reports progress to the command. */
  readonly progress: (value: unknown) => void;
  /** Aborted when the command has ended or the server stops, so that nothing waits for the result. */
  readonly signal: AbortSignal;
}

/**
 * The server's side. Call it only after the rows of the folder were opened: it replaces the socket file that a crash
 * may have left. `failed` is called with unexpected errors of operations.
 */
export async function openControl(folder: string, operations: Operations, failed: (cause: unknown) => void) {
  const path = join(folder, socketName);
  const inFlight = new Set<AbortController>();
  const server = createServer(async (message, response) => {
    const controller = new AbortController();
    inFlight.add(controller);
    response.once('close', () => {
      inFlight.delete(controller);
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
      const known = new Map(Object.entries(operations));
      const operation = known.get((message.url ?? '').slice(1)) ?? known.get(anyOther);
      const input = await text(message);
      if (operation === undefined || message.method !== 'POST') {
        answer(404, { error: 'The running server does not know this command: it has another version' });
        return;
      }
      answer(200, await operation(JSON.parse(input), call));
    } catch (cause) {
      if (cause instanceof OperatorError || cause instanceof StorageUnavailable || isBadSector(cause)) {
        answer(422, { error: textForOperator(cause) });
        return;
      }
      failed(cause);
      answer(500, { error: 'The running server failed: see its log' });
    }
  });
  return await listenAt(path, server, () => {
    for (const controller of inFlight) controller.abort();
    server.closeIdleConnections();
  });
}

/**
 * The command's side. The caller says what the operation gives and reports. Gives undefined if no server listens in the
 * folder. Throws `OperatorError`.
 */
export async function callControl<Result, Progress = unknown>(
  folder: string,
  operation: string,
  input: unknown,
  progress: (value: Progress) => void = () => {},
): Promise<{ readonly result: Result } | undefined> {
  try {
    const { status, body } = await withShortSocketPath(join(folder, socketName), (short) =>
      post(short, operation, input, (value) => progress(value as Progress)),
    );
    if (status === 200) return { result: body as Result };
    throw new OperatorError((body as { error: string }).error);
  } catch (cause) {
    if (isNoServer(cause)) return undefined;
    if (isReset(cause)) throw new ServerStopped();
    throw cause;
  }
}

/**
 * Listens on a socket in a data folder, in place of what a crash left. `endConnections` is called when it has been closed.
 * Throws `OperatorError` if the socket cannot be made.
 */
export async function listenAt(path: string, server: Server, endConnections: () => void) {
  try {
    await rm(path, { force: true });
    await withShortSocketPath(path, (short) => listen(server, short));
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    const full = 'the disk is full, or takes no more files (df -i): make room there';
    const why = cause.code === 'ENOSPC' ? full : cause.message;
    throw new OperatorError(`The socket ${path} cannot be made: ${why}`, { cause });
  }
  return {
    async close(): Promise<void> {
      await new Promise((resolve) => {
        server.close(resolve);
        endConnections();
      });
      await rm(path, { force: true });
    },
  };
}

/** Listens on a Unix socket that only the owner of its folder can open. */
function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    // The socket has mode 0600 from the beginning: Node binds within the call.
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
  // `readline` would not report a broken connection.
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
    if (!isReset(cause)) throw cause;
  }
  throw new ServerStopped();
}

/** The server was stopped or killed before it answered. */
class ServerStopped extends OperatorError {
  constructor() {
    super('The server stopped during the command');
  }
}

/** Whether a call has failed because the server stopped, or was killed. */
export function isCut(cause: unknown): boolean {
  return cause instanceof ServerStopped;
}

/** Whether the other side has ended a connection that was still used. */
function isReset(cause: unknown): boolean {
  const code = (cause as NodeJS.ErrnoException).code;
  return code === 'ECONNRESET' || code === 'EPIPE';
}

/** Whether a call failed because there is no socket file, or one that a crash has left. */
export function isNoServer(cause: unknown): boolean {
  const code = (cause as NodeJS.ErrnoException).code;
  return code === 'ENOENT' || code === 'ECONNREFUSED';
}

/** The kernel accepts socket paths of at most 104 bytes (macOS) or 108 bytes (Linux). */
const maxSocketPathBytes = 100;

/**
 * Lets `use` bind or connect a Unix socket at a path of any length. A path that is too long for the kernel is given as a
 * path through a symbolic link in the temporary folder; the link exists during the call.
 */
export async function withShortSocketPath<T>(path: string, use: (short: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= maxSocketPathBytes) return await use(path);
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-'));
  try {
    const link = join(folder, 'd');
    await symlink(dirname(path), link);
    return await use(join(link, basename(path)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
