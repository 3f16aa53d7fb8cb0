/** What the service sent to a client, in the order of the trace. */
export interface Sent {
  readonly socket: string;
  readonly text: string;
}

/** The requests whose whole answer was sent: a client may know of them what the answer says. */
export interface Answers {
  readonly ids: ReadonlySet<string>;
  add(sent: Sent): void;
}

/**
 * An answer counts from the moment when the write of its head begins. The answer of an import counts from its last line,
 * because its head and its refused lines are sent before the items are stored (docs/http.md#import-items).
 */
export function readAnswers(): Answers {
  const ids = new Set<string>();
  /** By socket, the import whose answer has begun. */
  const imports = new Map<string, string>();
  return {
    ids,
    add({ socket, text }) {
      const id = /^HTTP\/1\.1 [24].*?\r\nX-Request-Id: (op-\d+)\r\n/is.exec(text)?.[1];
      if (id !== undefined && !/\r\nContent-Type: application\/x-ndjson\r\n/i.test(text)) ids.add(id);
      else if (id !== undefined) imports.set(socket, id);
      const begun = imports.get(socket);
      if (begun === undefined || !text.includes('{"stored":')) return;
      ids.add(begun);
      imports.delete(socket);
    },
  };
}
