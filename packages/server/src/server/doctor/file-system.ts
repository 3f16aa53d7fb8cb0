import { type Finding, ok, warning } from '../../lib/finding.js';

/** A line of `/proc/self/mountinfo`. */
export interface Mount {
  /** Where it is mounted. */
  readonly path: string;
  /** The name of the file system: `ext4`, `nfs4`, `fuse.sshfs`. */
  readonly type: string;
  /** The options of the mount, and those of the file system. */
  readonly options: readonly string[];
}

/** What a folder of the store is for: the whole data folder, or the bytes only, which several machines may share. */
export type FolderUse = 'data' | 'bytes';

/** File systems that end before the machine does, with what ends them. */
const volatile: Readonly<Record<string, string>> = {
  tmpfs: 'which a restart of the machine empties',
  ramfs: 'which a restart of the machine empties',
  overlay: 'the layer of a container, which goes when the container is removed',
};
/** File systems whose files are on another machine, or behind a program. */
const remote =
  /^(nfs4?|cifs|smb3|smbfs|afs|ceph|coda|gfs2|glusterfs|gpfs|lustre|ocfs2|9p|virtiofs|vboxsf|prl_fs|drvfs|fuse|fuseblk|fuse\..+)$/;
/** With these a sync does not reach the disk itself. */
const unsafeOptions = /^(nobarrier|barrier=0|nobarriers)$/;

/**
 * Finds the mount that holds a path in the text of `/proc/self/mountinfo`; undefined if the text has none. `path` is
 * absolute and has no symbolic link.
 */
export function mountOf(mountinfo: string, path: string): Mount | undefined {
  let found: Mount | undefined;
  for (const line of mountinfo.split('\n')) {
    const mount = readMount(line);
    if (mount === undefined || !isBelow(path, mount.path)) continue;
    // The longest path holds it; of two at one path, the later lies over the earlier.
    if (found === undefined || mount.path.length >= found.path.length) found = mount;
  }
  return found;
}

/** Whether the file system of a folder can hold what the folder is for. */
export function fileSystemFinding(use: FolderUse, folder: string, mount: Mount | undefined): Finding {
  const subject = `${use} folder`;
  if (mount === undefined) return ok(subject, `${folder}; this system does not show its file system`);
  const { type, options } = mount;
  const where = `${folder} is on ${type}`;
  const end = volatile[type];
  if (end !== undefined) {
    const advice = 'Choose a folder on a local disk; in a container, on a volume.';
    return warning(subject, `${where}, ${end}`, advice);
  }
  if (use === 'data' && remote.test(type)) {
    const found = `${where}, whose locks and syncs LevelDB cannot rely on`;
    return warning(
      subject,
      found,
      'Choose a folder on a local disk, or keep the rows in PostgreSQL (--items).',
    );
  }
  const unsafe = options.find((option) => unsafeOptions.test(option));
  if (unsafe === undefined) return ok(subject, where);
  const found = `${where} with ${unsafe}: a power cut may lose acknowledged writes`;
  return warning(subject, found, `Mount it without ${unsafe}.`);
}

/** `36 35 98:0 / /mnt rw,noatime shared:1 - ext4 /dev/sda1 rw,barrier=0`: before the dash are optional fields. */
function readMount(line: string): Mount | undefined {
  const [before = '', after = ''] = line.split(' - ');
  const [, , , , path, ofMount = ''] = before.split(' ');
  const [type, , ofFileSystem = ''] = after.split(' ');
  if (path === undefined || type === undefined || type === '') return undefined;
  return { path: unescaped(path), type, options: [...ofMount.split(','), ...ofFileSystem.split(',')] };
}

/** The kernel writes a space as `\040`. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
}

function isBelow(path: string, folder: string): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`);
}
