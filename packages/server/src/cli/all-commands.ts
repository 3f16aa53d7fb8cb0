import type { RegisterCommand } from './command.js';
import { backupCommand } from './commands/backup.js';
import { checkCommand } from './commands/check.js';
import { completionCommand } from './commands/completion.js';
import { copyCommand } from './commands/copy.js';
import { doctorCommand } from './commands/doctor.js';
import { exportCommand } from './commands/export.js';
import { helpCommand } from './commands/help.js';
import { hooksCommand } from './commands/hooks.js';
import { importCommand } from './commands/import.js';
import { keysCommand } from './commands/keys.js';
import { mcpCommand } from './commands/mcp.js';
import { migrateCommand } from './commands/migrate.js';
import { projectsCommand } from './commands/projects.js';
import { restoreCommand } from './commands/restore.js';
import { serveCommand } from './commands/serve.js';
import { watchCommand } from './commands/watch.js';

/** Every command, in the order of the help. */
export const allCommands: readonly RegisterCommand[] = [
  serveCommand,
  keysCommand,
  projectsCommand,
  checkCommand,
  exportCommand,
  importCommand,
  watchCommand,
  hooksCommand,
  mcpCommand,
  backupCommand,
  restoreCommand,
  migrateCommand,
  copyCommand,
  doctorCommand,
  completionCommand,
  helpCommand,
];
