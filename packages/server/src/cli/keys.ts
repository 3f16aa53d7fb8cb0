import { existsSync } from 'node:fs';
import { createKeyRing, type KeyAdministration, type KeyInfo } from '../keys/key-ring.js';
import { OperatorError } from '../operator-error.js';
import { remoteKeys } from '../server/control/key-operations.js';
import type { Places } from '../store/open-store.js';
import { reach } from './reach-store.js';
import { table } from './table.js';

export interface KeyCommand {
  readonly places: Pick<Places, 'dataFolder' | 'items'>;
  readonly json: boolean;
  readonly print: (text: string) => void;
}

/** `keys create PROJECT`: prints the new key, once. */
export async function createKey(command: KeyCommand, project: string): Promise<void> {
  await withKeys(command.places, async (keys) => {
    const made = await keys.create(project);
    if (command.json) command.print(JSON.stringify({ ...described(made), key: made.key }));
    else command.print(table(['KEY', 'ID', 'PROJECT'], [[made.key, made.id, made.project]]));
  });
}

/** `keys list` */
export async function listKeys(command: KeyCommand): Promise<void> {
  requireFolder(command.places);
  await withKeys(command.places, async (keys) => {
    const infos = (await keys.list()).map(described);
    if (command.json) command.print(JSON.stringify(infos));
    else {
      command.print(
        table(
          ['ID', 'PROJECT', 'CREATED'],
          infos.map((info) => [info.id, info.project, info.created]),
        ),
      );
    }
  });
}

/** `keys revoke ID` */
export async function revokeKey(command: KeyCommand, id: string): Promise<void> {
  requireFolder(command.places);
  await withKeys(command.places, async (keys) => {
    if (!(await keys.revoke(id))) throw new OperatorError(`There is no key with the id ${id}`);
    command.print(command.json ? JSON.stringify({ id }) : `Revoked ${id}`);
  });
}

/** A first key may make the folder; to look for keys in a mistyped one should not. */
function requireFolder({ dataFolder, items }: KeyCommand['places']): void {
  if (items === undefined && !existsSync(dataFolder)) {
    throw new OperatorError(`There is no data folder ${dataFolder}`);
  }
}

/** The keys of the server that has the folder; when none runs, or the rows are shared, those of the rows. */
async function withKeys(
  places: KeyCommand['places'],
  use: (keys: KeyAdministration) => Promise<void>,
): Promise<void> {
  await reach(places, {
    remote: async (folder) => {
      const keys = await remoteKeys(folder.path);
      return keys === undefined ? undefined : { result: await use(keys) };
    },
    alone: async (items) => await use(await createKeyRing(items, [], Date.now)),
  });
}

function described(info: KeyInfo): { id: string; project: string; created: string } {
  const created = new Date(info.createdSeconds * 1000).toISOString().replace('.000', '');
  return { id: info.id, project: info.project, created };
}
