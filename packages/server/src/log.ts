import { destination, type Logger, pino } from 'pino';

const bufferBytes = 4096;
const flushEveryMs = 1000;

export interface Log {
  readonly logger: Logger;
  /** Writes out what is buffered. */
  flush(): void;
}

/**
 * JSON lines on standard output. They are gathered in memory and written in the background, so that a line
 * costs a request no system call; a second later at most they are out, and at the exit of the process.
 */
export function openLog(level: string): Log {
  // Below 16 KiB: a buffer may not be larger than one write, or a line could be cut at the exit.
  const out = destination({ dest: 1, sync: false, minLength: bufferBytes, periodicFlush: flushEveryMs });
  return {
    logger: pino({ level, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }, out),
    flush: () => out.flushSync(),
  };
}
