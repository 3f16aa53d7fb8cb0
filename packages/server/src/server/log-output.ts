import { type DestinationStream, destination, pino, stdSerializers } from 'pino';
import { createRequestLines } from './request-lines.js';

const batchBytes = 64 * 1024;
/** A character of a string has up to three bytes in UTF-8. */
const bytesACharacter = 3;
const flushEveryMs = 1000;

type Output = ReturnType<typeof destination>;

/** Opens the log on standard output: short lines for people (`pretty`), or JSON lines. */
export async function openLog(level: string, format: 'json' | 'pretty') {
  const output = destination({ dest: 1, sync: false, contentMode: 'buffer' });
  const lines = format === 'pretty' ? await prettyLines(output) : batchedLines(output);
  return {
    ...createLoggers(level, lines),
    /** Writes the lines that are still in memory. Call it at the end of the process. */
    flush() {
      lines.flush();
      output.flushSync();
    },
  };
}

export type Loggers = ReturnType<typeof createLoggers>;

/** Makes the loggers of one stream of lines. `now`: the clock of their times. */
export function createLoggers(level: string, lines: DestinationStream, now = Date.now) {
  const timestamp = createTimestamp(now);
  const logger = pino(
    { level, base: undefined, timestamp, serializers: { err: causeSerializer(level) } },
    lines,
  );
  const levelField = `{"level":${logger.levels.values.info}`;
  /** Writes the line of a request, exactly as the logger would. */
  const logRequest = createRequestLines({
    start: () => levelField + timestamp(),
    write: (line) => lines.write(line),
    otherwise: (line) => logger.info(line, 'request'),
  });
  return { logger, logRequest: logger.isLevelEnabled('info') ? logRequest : () => {} };
}

/** Writes each line at once, because people watch it. */
async function prettyLines(output: Output): Promise<DestinationStream & { flush(): void }> {
  // Imported only here: a server whose log is JSON starts without the library.
  const { createPrettyLines } = await import('./pretty-log.js');
  const pretty = createPrettyLines();
  return {
    write: (line) => {
      write(output, Buffer.from(pretty(line)));
    },
    flush() {},
  };
}

/**
 * Gathers lines in memory and writes them in the background within a second, so that a request needs no system call for
 * its line.
 *
 * Pino's own destination gathers lines too, but it computes the length and joins at every line, which takes 5.4 µs of
 * CPU: a quarter of a whole get. Lines that were kept as text and joined, 80 at a time, took 1.7 µs each. As bytes, 300
 * at a time, they let a whole get take 0.87 × the processor time of that, and a put 0.93 × (medians of 13 rounds in turns).
 */
function batchedLines(output: Output): DestinationStream & { flush(): void } {
  const batch = Buffer.allocUnsafe(batchBytes);
  let size = 0;

  function flush(): void {
    if (size === 0) return;
    // A copy, because it is written in the background, and waits there if nobody reads the log.
    write(output, Buffer.from(batch.subarray(0, size)));
    size = 0;
  }

  setInterval(flush, flushEveryMs).unref();
  return {
    write(line) {
      const room = bytesACharacter * line.length;
      if (room > batchBytes - size) flush();
      if (room > batchBytes) write(output, Buffer.from(line));
      else size += batch.write(line, size);
    },
    flush,
  };
}

/** Its types know only of text. */
function write(output: Output, bytes: Buffer): void {
  (output as { write(bytes: string | Buffer): boolean }).write(bytes);
}

/** The time as ISO 8601, formatted once for all lines of one millisecond. */
function createTimestamp(clock: () => number): () => string {
  let lastMs = 0;
  let text = '';
  return () => {
    const now = clock();
    if (now !== lastMs) {
      lastMs = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}

/** A cause as it is logged: without what its message and its stack trace reveal about the machine. */
interface LoggedCause {
  readonly type: string;
  readonly code?: string | undefined;
  readonly message: string;
  readonly cause?: LoggedCause | undefined;
}

/** Text in quotes with a slash in it, and words with one: paths, URLs, names of modules. */
const paths = /(['"`])[^'"`]*[/\\][^'"`]*\1|[^\s'"`,;:()]*[/\\][^\s'"`,;()]*/g;

/**
 * Gives the serializer of causes for pino. Stack traces and paths are logged only at the levels `debug` and `trace`
 * (docs/operations.md#troubleshooting).
 */
function causeSerializer(level: string): (cause: unknown) => unknown {
  if (level !== 'debug' && level !== 'trace') return (cause) => loggedCause(cause);
  return (cause) => (cause instanceof Error ? stdSerializers.errWithCause(cause) : cause);
}

/** Of a chain of causes, the first few are enough. */
function loggedCause(cause: unknown, depth = 0): LoggedCause {
  if (!(cause instanceof Error)) return { type: typeof cause, message: withoutPaths(String(cause)) };
  const { code } = cause as NodeJS.ErrnoException;
  return {
    type: cause.name,
    code: typeof code === 'string' ? code : undefined,
    message: withoutPaths(cause.message),
    cause: cause.cause === undefined || depth === 3 ? undefined : loggedCause(cause.cause, depth + 1),
  };
}

function withoutPaths(text: string): string {
  return text.replace(paths, '[path]');
}
