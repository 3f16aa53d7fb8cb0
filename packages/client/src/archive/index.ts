/**
 * Export and import of a project for programs that reach it in a way of their own, as the command line does over the
 * socket of the data folder. `basedrive-client/node` has the same for everyone else.
 */
export { addressOfSocket, addressOfUrl, closeConnections, type ProjectAddress } from './api/address.js';
export type { ExportReport } from './export/report.js';
export { runExport } from './export/run-export.js';
export type { ImportReport } from './import/report.js';
export { runImport } from './import/run-import.js';
export type { ProjectProgress } from './options.js';
