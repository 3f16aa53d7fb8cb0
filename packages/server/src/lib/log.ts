/** Where parts of the server write their log lines: fields, then a short message. The loggers of pino fulfil it. */
export interface Log {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
