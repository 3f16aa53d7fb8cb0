import { createInterface } from 'node:readline';

/** The URL that a server announces on standard error. Rejects when the server ends before. */
export async function announcedUrl(stderr: NodeJS.ReadableStream): Promise<string> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    lines.push(line);
    const url = /listens on (\S+)/.exec(line)?.[1];
    if (url !== undefined) {
      stderr.resume();
      return url.replace(/\/$/, '');
    }
  }
  throw new Error(`The server ended: ${lines.join('\n')}`);
}
