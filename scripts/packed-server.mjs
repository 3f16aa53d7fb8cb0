// The server as npm installs it: the packed package, with the packages that it declares next to it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import { root } from './setup.mjs';

const server = join(root, 'packages', 'server');

/**
 * The folders of all packages that the server needs to run, with those that they need, in this workspace. `omit` names
 * further kinds of packages that are left out, as that option of npm does.
 */
export function declaredPackages(omit = []) {
  const omitted = ['dev', ...omit].map((kind) => `--omit=${kind}`);
  const listed = npm(['ls', '--workspace', 'basedrive', ...omitted, '--all', '--parseable'], root);
  const paths = listed.split('\n').sort();
  const found = paths.filter(
    (path) => path.includes('node_modules') && !path.endsWith(join('node_modules', 'basedrive')),
  );
  // A nested package comes along with the package around it.
  return found.filter((path) => !found.some((other) => path.startsWith(`${other}/`)));
}

/**
 * Bundles and packs the compiled server as npm publishes it, and unpacks it into `folder` where npm would install it. The packages
 * that it declares are copied from this workspace, so nothing is downloaded, and Node finds no others from there; without
 * the kinds that `omit` names. Gives the files of the package.
 */
export function installPackedServer(folder, omit = []) {
  execFileSync(process.execPath, [join(server, 'bundle.mjs')], { stdio: 'inherit' });
  const home = join(folder, 'node_modules', 'basedrive');
  const files = unpack(server, home);
  for (const path of declaredPackages(omit)) {
    // npm puts some packages below the server's own folder, where no other package finds them.
    const isOwn = path.startsWith(join(server, 'node_modules'));
    const copy = isOwn ? join(home, relative(server, path)) : join(folder, relative(root, path));
    cpSync(path, copy, { recursive: true, dereference: true });
  }
  const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  mkdirSync(join(folder, 'node_modules', '.bin'), { recursive: true });
  for (const [name, file] of Object.entries(bin)) {
    chmodSync(join(home, file), 0o755);
    symlinkSync(join('..', 'basedrive', file), join(folder, 'node_modules', '.bin', name));
  }
  return files;
}

/** The tarballs of folders that were packed, until this process ends: to compress the server takes seconds. */
const packedFolders = new Map();

/** Packs a folder, once in a process, and gives the tarball. */
function packFolder(source) {
  let tarball = packedFolders.get(source);
  if (tarball === undefined) {
    const temporary = mkdtempSync(join(tmpdir(), 'basedrive-packed-'));
    process.once('exit', () => rmSync(temporary, { recursive: true }));
    tarball = pack(source, temporary);
    packedFolders.set(source, tarball);
  }
  return tarball;
}

function pack(source, to) {
  return join(to, npm(['pack', source, '--pack-destination', to], to).split('\n').at(-1));
}

/** What is given by its path, rather than as a name and a version of the registry. */
function isFolder(source) {
  return isAbsolute(source) && statSync(source).isDirectory();
}

/**
 * Packs a package (a folder that does not change until this process ends, or `name@version` of the registry), unless it is packed (`….tgz`), and unpacks it into `folder`.
 * Gives its files. Throws if its checksum is not `integrity`, where that is given.
 */
export function unpack(source, folder, integrity) {
  const temporary = mkdtempSync(join(tmpdir(), 'basedrive-pack-'));
  try {
    const packed = () => (isFolder(source) ? packFolder(source) : pack(source, temporary));
    const tarball = source.endsWith('.tgz') ? source : packed();
    const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
    if (integrity !== undefined && found !== integrity)
      throw new Error(`${source} is another file: ${found}`);
    mkdirSync(folder, { recursive: true });
    const extract = ['-xzvf', tarball, '-C', folder, '--strip-components=1'];
    const listed = execFileSync('tar', extract, { encoding: 'utf8' });
    return listed
      .trim()
      .split('\n')
      .map((file) => file.slice(file.indexOf('/') + 1));
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/** Runs npm and gives what it printed. */
export function npm(words, cwd) {
  const printed = execFileSync('npm', [...words, '--loglevel=error'], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 1 << 26,
  });
  return printed.trim();
}
