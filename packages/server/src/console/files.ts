import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that `packages/console/build.mjs` writes; it is part of the packed package. */
const builtFolder = fileURLToPath(new URL('../../../console', import.meta.url));

/** A file of the console in one encoding. */
export interface ConsoleFile {
  readonly bytes: Buffer;
  /** `br` or `gzip`; undefined if the bytes are the file itself. */
  readonly encoding: string | undefined;
  /** Strong, with its quotes; it differs between encodings. */
  readonly etag: string;
}

export interface ConsoleFiles {
  /** A file by its path below the folder, or undefined. `accepted` is the request's `Accept-Encoding`. */
  read(path: string, accepted: string | undefined): Promise<ConsoleFile | undefined>;
}

/** Encodings that the build writes, the smallest first, by the ending of their files. */
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const;

/** The folder of the built console, or undefined if it was not built. */
export function findConsole(): string | undefined {
  return existsSync(join(builtFolder, 'index.html')) ? builtFolder : undefined;
}

/**
 * The built files of the console. Nothing is read before the first request, and nothing is kept but the list of names:
 * the system caches the files.
 */
export function openConsoleFiles(folder: string): ConsoleFiles {
  let names: Promise<ReadonlySet<string>> | undefined;

  return {
    async read(path, accepted) {
      names ??= listFiles(folder);
      const present = await names;
      // Only a listed name is opened, so that no path leads out of the folder.
      if (!present.has(path)) return undefined;
      const found = encodings.find(
        ({ name, ending }) => accepts(accepted, name) && present.has(path + ending),
      );
      const bytes = await readFile(join(folder, path + (found?.ending ?? '')));
      const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
      return { bytes, encoding: found?.name, etag };
    },
  };
}

async function listFiles(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, path, name }) => join(parentPath ?? path, name));
  return new Set(paths.map((path) => path.slice(folder.length + 1).replaceAll('\\', '/')));
}

/** Whether `Accept-Encoding` names the encoding and does not refuse it with `q=0`. */
function accepts(header: string | undefined, encoding: string): boolean {
  const given = (header ?? '').split(',').map((part) => part.trim().toLowerCase());
  return given.some((part) => {
    const [name, ...parameters] = part.split(';').map((word) => word.trim());
    return name === encoding && !parameters.some((word) => /^q=0(\.0*)?$/.test(word));
  });
}
