import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The folders of all packages that the server needs to run, with those that they need, in this workspace. */
export async function declaredPackages(root: string): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)(
    'npm',
    ['ls', '--workspace', 'basedrive', '--omit=dev', '--all', '--parseable', '--loglevel=error'],
    { cwd: root },
  );
  const paths = stdout.trim().split('\n').sort();
  const found = paths.filter(
    (path) => path.includes('node_modules') && !path.endsWith('node_modules/basedrive'),
  );
  // A nested package comes along with the package around it.
  return found.filter((path) => !found.some((other) => path.startsWith(`${other}/`)));
}
