import { createWriteStream } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { BasedriveError } from '../../error.js';
import { FileChanged } from '../api/read.js';
import { createDigest, type Digest } from '../digest.js';
import { manifestPath, manifestText } from '../layout/manifest.js';
import { createEntrySpool } from './entry-spool.js';
import type { ExportTarget } from './target.js';

/** What gets much smaller. Images, films and archives are compressed already. */
const compressible =
  /^(text\/|application\/(json|xml|javascript|x-ndjson|sql)\b|image\/svg)|[+](json|xml)\b/i;

/**
 * Exports to a zip archive, with ZIP64 where it is needed. It gets its name when it is complete. An archive cannot be
 * continued: a run that was interrupted begins again. Throws code
 * `conflict` if there is something at the path.
 */
export async function openZipTarget(path: string): Promise<ExportTarget> {
  if ((await stat(path).catch(() => undefined)) !== undefined) {
    throw new BasedriveError('conflict', `${path} exists already: give another name`);
  }
  const partial = `${path}.partial`;
  const spool = createEntrySpool(`${path}.entries`);
  const zip = new ZipFile();
  const failed = new Promise<never>((_, reject) => zip.once('error', reject));
  const out = createWriteStream(partial, { mode: 0o600 });
  const written = pipeline(zip.outputStream, out);
  // Waited for below, while entries are written.
  failed.catch(() => {});
  written.catch(() => {});

  async function add(name: string, compress: boolean, chunks: AsyncIterable<Buffer>): Promise<Digest> {
    const digest = createDigest();
    const stream = Readable.from(digest.through(chunks), { objectMode: false });
    const ended = new Promise<void>((resolve) => stream.once('end', resolve));
    zip.addReadStream(stream, name, { compress, mode: 0o100600 });
    await Promise.race([ended, failed, written]);
    return digest.end();
  }

  return {
    filesAtOnce: 1,

    writeBase: (name, chunks) => add(name, true, chunks),

    async writeFile(name, { file, read }) {
      const bytes = read(0)[Symbol.asyncIterator]();
      // Once an entry has begun, it cannot be taken back.
      const first = await bytes.next();
      const compress = compressible.test(file.contentType);
      const digest = await add(name, compress, withFirst(first, bytes));
      return { ...digest, isReused: false };
    },

    addEntry: spool.add,

    async finish() {
      await add(manifestPath, true, manifestText(spool.lines()));
      zip.end();
      await Promise.race([written, failed]);
      await rename(partial, path);
      await spool.remove();
    },

    async abandon() {
      await spool.remove();
      out.destroy();
      await written.catch(() => {});
      await rm(partial, { force: true });
    },
  };
}

async function* withFirst(
  first: IteratorResult<Buffer, unknown>,
  rest: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    for (let step = first; !step.done; step = await rest.next()) yield step.value;
  } catch (cause) {
    if (!(cause instanceof FileChanged)) throw cause;
    throw new BasedriveError(
      'network',
      `The connection was lost, and ${cause.message} changed before it was back: run the export again`,
      { cause },
    );
  }
}
