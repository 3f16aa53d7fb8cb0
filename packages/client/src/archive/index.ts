/**
 * Export and import of a project for programs that reach it in a way of their own, as the command line does over the
 * socket of the data folder. `basedrive-client/node` has the same for everyone else.
 */
export { addressOfSocket, addressOfUrl, type ProjectAddress } from './api/address.js';
export { runExport } from './export/run-export.js';
export { runImport } from './import/run-import.js';
