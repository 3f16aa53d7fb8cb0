import { migrateItems, shownAddress } from '../../engines/registry.js';
import type { RegisterCommand } from '../command.js';

/** `migrate`: creates the tables of a database and prints what it did. Rows in a data folder need no tables. */
export const migrateCommand: RegisterCommand = ({ program, terminal, storeSettings, showSettings }) => {
  const command = program
    .command('migrate')
    .description(
      'create the tables of a database, or bring them to this version; run it before the servers start',
    )
    .action(async () => {
      const { items } = storeSettings();
      const done = items === undefined ? undefined : await migrateItems(items, terminal.environment);
      if (items === undefined || done === undefined) {
        terminal.out('Rows in a data folder need no migration: nothing to do');
        return;
      }
      terminal.out(`${shownAddress(items)}: ${done.length === 0 ? 'nothing to do' : done.join('; ')}`);
    });
  showSettings(command, ['items']);
};
