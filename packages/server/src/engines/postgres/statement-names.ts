/** The names under which one connection prepares its statements. */
export interface StatementNames {
  /** Sends the statement under a name, and learns from what becomes of it. */
  use<T>(name: string, send: (name: string) => Promise<T>): Promise<T>;
}

/** The names as they are. A direct connection may try a name again that the database could not prepare. */
export const plainNames: StatementNames = { use: (name, send) => send(name) };

/**
 * Names for a connection to PgBouncer, which ends the connection when a name is prepared again, also after the database
 * has refused to prepare it: in a transaction that has failed, it refuses everything that was sent after the failure.
 * So a statement that has never been answered gets another name after a failure.
 */
export function createStatementNames(): StatementNames {
  const names = new Map<string, { sent: string; failures: number; isPrepared: boolean }>();

  return {
    async use(name, send) {
      const entry = names.get(name) ?? { sent: name, failures: 0, isPrepared: false };
      names.set(name, entry);
      const { sent } = entry;
      try {
        const answer = await send(sent);
        if (entry.sent === sent) entry.isPrepared = true;
        return answer;
      } catch (cause) {
        // Others that were sent under this name fail, too.
        if (entry.sent === sent && !entry.isPrepared) entry.sent = `${name}_${++entry.failures}`;
        throw cause;
      }
    },
  };
}
