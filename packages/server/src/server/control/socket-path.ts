import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The kernel accepts socket paths of at most 104 bytes (macOS) or 108 bytes (Linux). */
const maxSocketPathBytes = 100;

/**
 * Lets `use` bind or connect a Unix socket at a path of any length. A path that is too long for the kernel is given as a
 * path through a symbolic link in the temporary folder; the link exists during the call.
 */
export async function withShortSocketPath<T>(path: string, use: (short: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= maxSocketPathBytes) return await use(path);
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-'));
  try {
    const link = join(folder, 'd');
    await symlink(dirname(path), link);
    return await use(join(link, basename(path)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
