import { keyBatches } from '../../engines/key-batches.js';
import { HeadersUnsupported } from '../../engines/storage-errors.js';
import type { Semaphore } from '../../lib/concurrency/semaphore.js';
import { abandoned, badField } from '../../request-error.js';
import { driveSpace } from '../../spaces.js';
import { anyTrash } from '../contents/row-contents.js';
import type { DriveContext } from '../context.js';
import { setTrash, settingsOf } from '../drive-settings.js';
import type { ManyNames } from '../turns.js';
import { emptyTrash, listTrash, type RestoreRequest, restoreFiles, type TimedQuery } from './trash.js';

/** The trash of drives (docs/http.md#trash). */
export interface TrashService {
  /** For how many seconds the trash of a drive keeps files; 0: there is none. */
  seconds(project: string, drive: string): Promise<number>;
  /** Sets it; null: as the server is set. Throws a 409 `RequestError` if the engine has no settings of drives. */
  set(project: string, drive: string, seconds: number | null): Promise<void>;
  /** Reads a page, the newest first. */
  list(project: string, drive: string, query: TimedQuery): ReturnType<typeof listTrash>;
  /** Gives files their names back, all or none. Throws its 404 and 409 as a `RequestError`. */
  restore(project: string, drive: string, request: RestoreRequest): Promise<void>;
  /** Deletes files for good, and gives their number. Those whose names `isAllowed` refuses stay. */
  remove(
    project: string,
    drive: string,
    ids: readonly string[],
    isAllowed: (name: string) => boolean,
  ): Promise<number>;
  /** The same for all files whose names begin with the prefix. */
  removeAll(project: string, drive: string, prefix: string, isAbandoned: () => boolean): Promise<number>;
}

export interface TrashTurns {
  /** Admits one batch of `removeAll` at a time, in turns of the projects. */
  readonly oneAtATime: (project: string) => Semaphore;
  readonly manyNames: ManyNames;
}

export function createTrash(context: DriveContext, { oneAtATime, manyNames }: TrashTurns): TrashService {
  const { items, trashSeconds: usual, wakeMaintenance } = context;
  return {
    async seconds(project, drive) {
      return (await settingsOf(items, driveSpace(project, drive))).trashSeconds ?? usual;
    },

    async set(project, drive, seconds) {
      try {
        await setTrash(items, driveSpace(project, drive), seconds);
      } catch (cause) {
        throw cause instanceof HeadersUnsupported
          ? badField('trash', 'settings_unsupported', 'needs a database of rows with LOCK TABLE')
          : cause;
      }
    },

    list: (project, drive, query) => listTrash(context, driveSpace(project, drive), query),

    async restore(project, drive, request) {
      await manyNames(project, request.files.length, () =>
        restoreFiles(context, driveSpace(project, drive), request),
      );
      wakeMaintenance();
    },

    remove: (project, drive, ids, isAllowed) =>
      manyNames(project, ids.length, () =>
        emptyTrash(context, driveSpace(project, drive), ids, ({ name }) => isAllowed(name)),
      ),

    async removeAll(project, drive, prefix, isAbandoned) {
      const space = driveSpace(project, drive);
      let deleted = 0;
      for await (const keys of keyBatches(items, space, anyTrash)) {
        const ids = keys.map((key) => key.slice(anyTrash.length));
        deleted += await oneAtATime(project)(() => {
          if (isAbandoned()) throw abandoned();
          return emptyTrash(context, space, ids, ({ name }) => name.startsWith(prefix));
        });
      }
      return deleted;
    },
  };
}
