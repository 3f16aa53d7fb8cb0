import { stat } from 'node:fs/promises';
import type { Settings } from '../../config/settings.js';
import { readKeyFile } from '../../keys/key-file.js';
import { type Finding, failed, ok, warning } from '../../lib/finding.js';
import { counted } from '../../lib/text/words.js';
import { OperatorError } from '../../operator-error.js';

const forOthers = 0o007;

/** Whether the keys of `--key-file` can be read, and by whom. */
export async function keyFile({ keyFile: path }: Settings): Promise<readonly Finding[]> {
  if (path === undefined) return [];
  try {
    const keys = await readKeyFile(path);
    const found = `${path} has ${counted(keys.length, 'key')}`;
    if (keys.length === 0)
      return [
        warning(
          'key file',
          found,
          'Write a key into it, {project}_{secret}: without one, the server makes its own.',
        ),
      ];
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & forOthers) !== 0)
      return [warning('key file', `${found}, and every user can open it`, `Run chmod 600 ${path}.`)];
    return [ok('key file', found)];
  } catch (cause) {
    if (!(cause instanceof OperatorError)) throw cause;
    return [failed('key file', cause.message, 'Correct the path, or what the file says.')];
  }
}
