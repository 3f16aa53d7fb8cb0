import type { ItemStore } from '../../engines/item-store.js';
import { holdsProject, projectsToChoose } from '../../store/projects.js';
import { callControl, type Operations } from './socket.js';

const listing = 'projects';
const holding = 'holds-project';

/** The server's side of what the commands ask about projects. */
export function projectOperations(items: ItemStore): Operations {
  return {
    [listing]: () => projectsToChoose(items),
    [holding]: (project) => holdsProject(items, String(project)),
  };
}

/** The projects that hold something. Gives undefined if no server has the folder. */
export async function projectsOfServer(folder: string): Promise<readonly string[] | undefined> {
  return (await callControl<readonly string[]>(folder, listing, null))?.result;
}

/** Whether a project holds something. Gives undefined if no server has the folder. */
export async function serverHoldsProject(folder: string, project: string): Promise<boolean | undefined> {
  return (await callControl<boolean>(folder, holding, project))?.result;
}
