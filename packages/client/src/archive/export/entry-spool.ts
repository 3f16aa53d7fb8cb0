import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Entry } from '../layout/manifest.js';

/** The entries of an export until it is complete, in a file: of many files they would fill the memory. */
export interface EntrySpool {
  add(entry: Entry): Promise<void>;
  /** The entries as lines of JSON, in their order. Nothing can be added any more. */
  lines(): AsyncGenerator<string, void, undefined>;
  remove(): Promise<void>;
}

/** Makes the file, where nothing may be: it follows no link, and nobody's file is overwritten. */
export async function createEntrySpool(path: string): Promise<EntrySpool> {
  const file = (await open(path, 'wx', 0o600)).createWriteStream();
  let failure: Error | undefined;
  file.on('error', (cause) => {
    failure = cause;
  });
  return {
    async add(entry) {
      if (failure !== undefined) throw failure;
      if (!file.write(`${JSON.stringify(entry)}\n`)) await once(file, 'drain');
    },
    async *lines() {
      file.end();
      if (!file.closed) await once(file, 'close');
      if (failure !== undefined) throw failure;
      yield* createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
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
