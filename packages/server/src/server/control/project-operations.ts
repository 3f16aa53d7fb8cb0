import type { ItemStore } from '../../engines/item-store.js';
import { findProjects } from '../../store/projects.js';
import { callControl, type Operations } from './socket.js';

const operation = 'projects';

/** The server's side of the list of projects. */
export function projectOperations(items: ItemStore): Operations {
  return { [operation]: () => findProjects(items) };
}

/** The projects that hold something. Gives undefined if no server has the folder. */
export async function projectsOfServer(folder: string): Promise<readonly string[] | undefined> {
  const answer = await callControl(folder, operation, null);
  return answer?.result as readonly string[] | undefined;
}
