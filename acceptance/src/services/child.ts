import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

const startTimeoutMs = 30_000;

/** Resolves when the process has printed this to standard error. Rejects with what it printed if it ends, or takes too long. */
export function whenPrinted(child: ChildProcess, name: string, pattern: RegExp): Promise<void> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const fail = (why: string) => reject(new Error(`${name} ${why}: ${printed}`));
    const timer = setTimeout(() => fail(`did not start within ${startTimeoutMs} ms`), startTimeoutMs);
    const look = (chunk: Buffer) => {
      printed += chunk.toString();
      if (!pattern.test(printed)) return;
      clearTimeout(timer);
      // Its log is not needed, but must be read: it blocks when the pipe is full.
      child.stderr?.off('data', look).resume();
      resolve();
    };
    child.stderr?.on('data', look);
    child.once('error', (cause) => fail(String(cause)));
    child.once('exit', (code) => {
      clearTimeout(timer);
      fail(`exited with ${code}`);
    });
  });
}

/** Sends a signal, and waits for the end. Does nothing if the process has ended. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}
