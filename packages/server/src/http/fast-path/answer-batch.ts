/** Writes an answer soon. */
export type WriteTogether = (write: () => void) => void;

/** The longest time that an answer waits for others, unless the event loop is kept busy for longer. */
const longestMs = 0.3;

/**
 * Writes the answers that become ready in one turn of the event loop together, at the end of the turn. To write to a
 * client that sleeps wakes it, which on a virtual machine takes up to 30 µs of the server, more than a get. Clients on
 * one machine, or a proxy there, have so little to do for each answer that they sleep again before the next one, unless
 * it follows at once: ten items in order by an index, of 64 connections, took 0.66 of the time, a count 0.65, a get 0.92.
 */
export function createAnswerBatch(): WriteTogether {
  let waiting: (() => void)[] = [];
  let sinceMs = 0;

  function writeAll(): void {
    const ready = waiting;
    waiting = [];
    for (const write of ready) write();
  }

  return (write) => {
    const nowMs = performance.now();
    if (waiting.push(write) === 1) {
      sinceMs = nowMs;
      setImmediate(writeAll);
    } else if (nowMs - sinceMs > longestMs) writeAll();
  };
}
