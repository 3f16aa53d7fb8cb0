import type { OperationGroups } from '../http/routing/operation-groups.js';
import { createProject } from './operations/create-project.js';
import { deleteProject } from './operations/delete-project.js';
import { getProjectStatistics } from './operations/get-project-statistics.js';
import { getUsage } from './operations/get-usage.js';
import { listProjects } from './operations/list-projects.js';
import { setQuota } from './operations/set-quota.js';
import type { ProjectServices } from './service.js';

/** The operations of docs/http.md#projects, and what a project may know of itself. */
export const projectOperations: OperationGroups<ProjectServices> = {
  Projects: { getProjectStatistics },
  Administration: { listProjects, createProject, deleteProject, setQuota, getUsage },
};
