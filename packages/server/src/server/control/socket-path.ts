import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The kernel's field for the path of a socket has 104 (macOS) or 108 bytes (Linux). */
const maxSocketPathBytes = 100;

/**
 * Lets `use` bind or connect a Unix socket at any path: a path that is too long for the kernel is reached
 * through a symbolic link in the temporary folder, which lives as long as the call.
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
