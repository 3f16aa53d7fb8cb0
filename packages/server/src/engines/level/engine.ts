import { fileURLToPath } from 'node:url';
import { isSystemError } from '../../lib/folder.js';
import { OperatorError } from '../../operator-error.js';
import type { ItemEngine } from '../engine.js';
import { RowsDamaged, StorageUnavailable, StoreInUse } from '../storage-errors.js';

/** LevelDB in a folder: the item store of one machine. */
export const levelEngine: ItemEngine = {
  schemes: ['file:'],
  isRemote: false,
  urlForm: 'file:///folder',
  variables: [],
  urlProblem: () => undefined,
  async open({ url, create, acceptDamage, checksWhileOpen, onGroup, onLoss, onDamage }) {
    const folder = fileURLToPath(url);
    const { openLevelStore } = await import('./store.js');
    try {
      return await openLevelStore(
        { folder, create, acceptDamage, checksWhileOpen, onLoss, onDamage },
        onGroup,
      );
    } catch (cause) {
      throw openFailure(folder, cause);
    }
  },
};

function openFailure(folder: string, cause: unknown): unknown {
  if (cause instanceof RowsDamaged) {
    return new OperatorError(`${cause.message}. Restore a backup`, { cause });
  }
  if (cause instanceof StorageUnavailable) return cause;
  const { code, message } = innermost(cause);
  if (code === 'LEVEL_LOCKED') {
    return new StoreInUse(`The rows in ${folder} are in use by another process`, { cause });
  }
  if (code?.startsWith('LEVEL_') !== true && !isSystemError(cause)) return cause;
  const line = message.replaceAll('\n', ' ');
  const advice = code === 'LEVEL_CORRUPTION' ? '. Restore a backup' : '';
  return new OperatorError(`The rows in ${folder} cannot be opened: ${line}${advice}`, { cause });
}

/** The error of LevelDB itself, which abstract-level wraps. */
function innermost(cause: unknown): { code?: string; message: string } {
  let error = cause;
  while (error instanceof Error && error.cause instanceof Error) error = error.cause;
  return error instanceof Error ? (error as Error & { code?: string }) : { message: String(cause) };
}
