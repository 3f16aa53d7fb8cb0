import { stdSerializers } from 'pino';

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
export function causeSerializer(level: string): (cause: unknown) => unknown {
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
