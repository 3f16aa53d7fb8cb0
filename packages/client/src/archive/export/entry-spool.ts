import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import type { Entry } from '../layout/manifest.js';
import { createLineSplitter } from '../lines.js';

/**
 * The entries of an export until it is complete, in a file: of many files they would fill the memory. Nothing
 * may be where it is made: it follows no link, and nobody's file is overwritten.
 */
export async function createEntrySpool(path: string) {
  const file = (await open(path, 'wx', 0o600)).createWriteStream();
  let failure: Error | undefined;
  file.on('error', (cause) => {
    failure = cause;
  });
  return {
    async add(entry: Entry) {
      if (failure !== undefined) throw failure;
      if (!file.write(`${JSON.stringify(entry)}\n`)) await once(file, 'drain');
    },
    /** The entries as lines of JSON, in their order. Nothing can be added any more. */
    async *lines() {
      file.end();
      if (!file.closed) await once(file, 'close');
      if (failure !== undefined) throw failure;
      // `readline` of Node 24 also ends lines at U+2028 and U+2029, which names may have.
      const lines = createLineSplitter(Number.POSITIVE_INFINITY);
      for await (const chunk of createReadStream(path))
        for (const { bytes } of lines.split(chunk)) yield (bytes as Buffer).toString();
    },
    async remove() {
      // It may end with an error, of a write that was not done yet.
      const closed = new Promise<void>((resolve) => file.once('close', resolve));
      file.destroy();
      if (!file.closed) await closed;
      await rm(path, { force: true });
    },
  };
}
