/** The log as the parts of the server use it: fields, then a short message. Pino's loggers implement it. */
export interface Log {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
