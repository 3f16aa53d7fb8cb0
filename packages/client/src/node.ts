/** What needs Node: `basedrive-client/node`. */
export type { ExportReport, KeyLimits, LeftOut } from './archive/export/report.js';
export type { ImportReport, SetAside } from './archive/import/report.js';
export type { ExportProjectOptions, ImportProjectOptions, ProjectProgress } from './archive/options.js';
export { exportProject, importProject } from './archive/project.js';
export { downloadFolder } from './folders/download-folder.js';
export type { FolderFailure, FolderOptions, FolderProgress, FolderResult } from './folders/folder.js';
export { uploadFolder } from './folders/upload-folder.js';
