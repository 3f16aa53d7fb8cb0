import { link, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BasedriveError, invalid } from '../../http/error.js';
import { isDamage } from '../api/around-damage.js';
import { FileChanged } from '../api/read.js';
import { manifestPath, manifestText } from '../layout/manifest.js';
import { isSystemError } from '../system-error.js';
import { createEntrySpool } from './entry-spool.js';
import { exists, syncFolder } from './stable-storage.js';
import type { ExportTarget } from './target.js';
import { nameUnfinished } from './unfinished-archive.js';
import { createZipStream } from './zip-stream.js';

/** What gets much smaller. Images, films and archives are compressed already. */
const compressible =
  /^(text\/|application\/(json|xml|javascript|x-ndjson|sql)\b|image\/svg)|[+](json|xml)\b/i;

/**
 * Exports to a zip archive, with ZIP64 where it is needed. It gets its name when it is complete and on stable storage.
 * An archive cannot be continued: a run that was interrupted begins again. Throws code `conflict` if there is something
 * at the path, and `invalid` if it cannot be used.
 */
export async function openZipTarget(path: string): Promise<ExportTarget> {
  // Two exports at once, or what else has such a name, must not meet.
  const { archive: partial, entries } = await nameUnfinished(path);
  if (await exists(path)) throw isTaken(path);
  const archive = await open(partial, 'wx', 0o600).catch((cause: unknown) => {
    throw cannotBeUsed(path, cause);
  });
  const spool = await createEntrySpool(entries).catch(async (cause: unknown) => {
    await archive.close();
    await rm(partial, { force: true });
    throw cannotBeUsed(path, cause);
  });
  const zip = createZipStream(archive);

  return {
    filesAtOnce: 1,

    writeBase: (name, chunks) => zip.add(name, true, chunks),

    async writeFile(name, { file, read }) {
      const bytes = read(0)[Symbol.asyncIterator]();
      // Once an entry has begun, it cannot be taken back.
      const first = await bytes.next();
      const compress = compressible.test(file.content_type);
      let damage: BasedriveError | undefined;
      const chunks = withFirst(first, bytes, (cause) => {
        damage = cause;
      });
      const digest = await zip.add(name, compress, chunks);
      if (damage === undefined) return { ...digest, isReused: false };
      const { code, message } = damage;
      throw new BasedriveError(
        code,
        `${message}: the archive has its first ${digest.size} bytes only`,
        damage,
      );
    },

    addEntry: spool.add,

    async finish(lists) {
      await zip.add(manifestPath, true, manifestText(spool.lines(), lists));
      await zip.end();
      await giveName(partial, path);
      await syncFolder(dirname(path));
      await spool.remove();
    },

    async abandon() {
      try {
        await zip.abandon();
        await rm(partial, { force: true });
      } finally {
        await spool.remove();
      }
    },
  };
}

/** Renames the archive. What has got its name in the meantime is not overwritten. */
async function giveName(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path);
  } catch {
    if (await exists(path)) throw isTaken(path);
    // Not every file system has hard links.
    await rename(partial, path);
    return;
  }
  await rm(partial);
}

function isTaken(path: string): BasedriveError {
  return new BasedriveError('conflict', `${path} exists already: give another name`);
}

function cannotBeUsed(path: string, cause: unknown): unknown {
  if (!isSystemError(cause) || cause.code === 'ENOSPC') return cause;
  return invalid(`${path} cannot be used: ${cause.message}`, { cause });
}

/** The bytes of a file. If they are damaged, they end there, and `onDamage` is told. */
async function* withFirst(
  first: IteratorResult<Buffer, unknown>,
  rest: AsyncIterator<Buffer>,
  onDamage: (cause: BasedriveError) => void,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    for (let step = first; !step.done; step = await rest.next()) yield step.value;
  } catch (cause) {
    if (isDamage(cause)) return onDamage(cause);
    if (!(cause instanceof FileChanged)) throw cause;
    throw new BasedriveError(
      'network',
      `The connection was lost, and ${cause.message} changed before it was back: run the export again`,
      { cause },
    );
  }
}
