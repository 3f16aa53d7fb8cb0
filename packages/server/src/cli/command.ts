import type { Command } from 'commander';
import type { SettingName, Settings } from '../config/settings.js';
import type { Terminal } from './terminal.js';

/** What a command may use while it registers itself and when it runs. */
export interface CommandContext {
  readonly program: Command;
  readonly terminal: Terminal;
  /** The settings of the command line and the environment. Throws `WrongSettings`. */
  settings(): Settings;
  /**
   * The same for a command that works on a stored store: `--memory` is refused. Throws `WrongSettings`,
   * `OperatorError`.
   */
  storeSettings(): Settings;
  /** Lets the help of a command list these of the settings. `isClient`: the command asks a server. */
  showSettings(command: Command, names: readonly SettingName[], isClient?: boolean): Command;
  /** Sets exit code 1: the command did its work, and found a problem. */
  exitWithOne(): void;
}

/**
 * A file in `commands/` exports one of these: it adds its command to the program. The modules that do the work are
 * imported when it runs.
 */
export type RegisterCommand = (context: CommandContext) => void;
