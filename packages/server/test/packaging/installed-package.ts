import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { declaredPackages } from './declared-packages.js';

const root = fileURLToPath(new URL('../../../../../', import.meta.url));
const runFile = promisify(execFile);

/** The package as npm installs it, in an otherwise empty folder. */
export interface InstalledPackage {
  readonly folder: string;
  /** The files of the tarball, below the package's root. */
  readonly files: readonly string[];
  remove(): Promise<void>;
}

/**
 * Packs the server as npm publishes it, and unpacks it where npm would install it: with the packages that it declares,
 * and theirs, in the versions of this workspace. They are copied, because a test must not need the internet. Node finds
 * no other package from there.
 */
export async function installPackage(): Promise<InstalledPackage> {
  const folder = await mkdtemp(join(tmpdir(), 'basedrive-installed-'));
  const packed = await runFile(
    'npm',
    ['pack', join(root, 'packages/server'), '--pack-destination', folder, '--loglevel=error'],
    { cwd: folder },
  );
  const tarball = join(folder, packed.stdout.trim().split('\n').at(-1) ?? '');
  const { stdout: listing } = await runFile('tar', ['-tzf', tarball]);
  const home = join(folder, 'node_modules/basedrive');
  await mkdir(home, { recursive: true });
  await runFile('tar', ['-xzf', tarball, '-C', home, '--strip-components=1']);
  for (const path of await declaredPackages(root)) {
    const copy = join(folder, relative(root, path));
    await mkdir(dirname(copy), { recursive: true });
    await runFile('cp', ['-R', '-L', path, copy]);
  }
  const { bin } = JSON.parse(await readFile(join(home, 'package.json'), 'utf8')) as {
    bin: Record<string, string>;
  };
  await mkdir(join(folder, 'node_modules/.bin'), { recursive: true });
  for (const [name, file] of Object.entries(bin)) {
    await runFile('chmod', ['+x', join(home, file)]);
    await symlink(join('../basedrive', file), join(folder, 'node_modules/.bin', name));
  }
  const files = listing
    .trim()
    .split('\n')
    .map((name) => name.replace(/^package\//, ''));
  return { folder, files, remove: () => rm(folder, { recursive: true }) };
}
