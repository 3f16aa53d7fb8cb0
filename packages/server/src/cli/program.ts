import { Command, CommanderError, Option } from 'commander';
import { readSettings, WrongSettings } from '../config/read-settings.js';
import { type GivenFlags, type SettingName, type SettingRule, settingRules } from '../config/settings.js';
import { furtherVariables, optionsKeptByNpm, unknownVariables } from '../config/variables.js';
import { isBadSector, StorageUnavailable, textForOperator } from '../engines/storage-errors.js';
import { version } from '../lib/version.js';
import { OperatorError } from '../operator-error.js';
import type { CommandContext, RegisterCommand } from './command.js';
import { serveCommand } from './commands/serve.js';
import { Interrupted } from './stop-signal.js';
import type { Terminal } from './terminal.js';
import { unknownCommand } from './unknown-command.js';

const wrongUse = 2;

interface Outcome {
  exitCode: number;
}

/**
 * Runs a command to its end. Gives the exit code: 0; 2 with a line on standard error for what the operator can correct
 * (an option, the data folder, the port, the id of a key); 130 or 143 when it was interrupted; 1 for an unexpected
 * failure, and when a command did its work and found a problem.
 */
export async function run(terminal: Terminal): Promise<number> {
  try {
    const outcome: Outcome = { exitCode: 0 };
    const operands = operandsOf(terminal);
    const commands = await commandsFor(terminal, operands);
    refuseHelpOfUnknownCommand(terminal, commands);
    await createProgram({ terminal, commands, operands, outcome }).parseAsync([...terminal.arguments], {
      from: 'user',
    });
    return outcome.exitCode;
  } catch (cause) {
    if (cause instanceof CommanderError) return cause.exitCode === 0 ? 0 : wrongUse;
    const lines = expectedLines(cause);
    for (const line of lines) terminal.err(`basedrive: ${line}`);
    if (cause instanceof Interrupted) return cause.exitCode;
    if (lines.length > 0) return wrongUse;
    terminal.err(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
    return 1;
  }
}

function expectedLines(cause: unknown): readonly string[] {
  if (cause instanceof WrongSettings) return cause.lines;
  // The operator can bring back a database that stops answering while a command runs.
  const isExpected =
    cause instanceof OperatorError || cause instanceof StorageUnavailable || isBadSector(cause);
  return isExpected ? [textForOperator(cause)] : [];
}

/**
 * The commands that the words may mean. A server loads only its own command: loading those of all others would take a
 * twelfth of its start.
 */
async function commandsFor(
  terminal: Terminal,
  [word = 'serve', ...more]: readonly string[],
): Promise<readonly RegisterCommand[]> {
  const isServe = word === 'serve' && more.length === 0;
  if (isServe && !terminal.arguments.some(asksForHelp)) return [serveCommand];
  const { allCommands } = await import('./all-commands.js');
  return allCommands;
}

/** The words that are neither options nor their values, up to the first option that is not a setting. */
function operandsOf(terminal: Terminal): readonly string[] {
  // One empty word is added, because the last option may lack its value: that error is reported when the command is
  // known.
  const words = [...terminal.arguments, ''];
  const { operands } = createProgram({ terminal, commands: [] }).parseOptions(words);
  return operands.filter((word) => word !== '');
}

function asksForHelp(word: string): boolean {
  return word === '--help' || word === '-h';
}

interface ProgramOptions {
  readonly terminal: Terminal;
  readonly commands: readonly RegisterCommand[];
  readonly operands?: readonly string[];
  readonly outcome?: Outcome;
}

function createProgram({
  terminal,
  commands,
  operands = [],
  outcome = { exitCode: 0 },
}: ProgramOptions): Command {
  const program = new Command('basedrive')
    .description('A key-value document database and a file store behind one HTTP API and one key.')
    .version(version())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      outputError: (text, write) => write(`basedrive: ${oneLine(text)}`),
    })
    .helpCommand(false)
    .addHelpText('after', `\nFurther variables: ${furtherVariables.join(', ')}`)
    .hook('preAction', (_, command) => {
      const { environment } = terminal;
      const lines = [
        ...optionsKeptByNpm(environment),
        ...unknownVariables(environment),
        ...withoutEffect(program, command),
      ];
      for (const line of lines) terminal.err(`basedrive: warning: ${line}`);
    });
  const context = createContext(program, terminal, outcome);
  for (const register of commands) register(context);
  // The settings may be anywhere. Where a command has an option of that name, such as `keys create --s3`, it is its own.
  const own = optionsOf(program, operands);
  for (const option of settingOptions()) if (!own.has(option.long)) program.addOption(option);
  return program;
}

/** The options of the command that the operands name. */
function optionsOf(program: Command, operands: readonly string[]): ReadonlySet<string | undefined> {
  let command = program;
  for (const operand of operands) {
    const next = command.commands.find((one) => one.name() === operand);
    if (next === undefined) break;
    command = next;
  }
  return new Set(command.options.map((option) => option.long));
}

function createContext(program: Command, terminal: Terminal, outcome: Outcome): CommandContext {
  const settings = () => readSettings(program.opts<GivenFlags>(), terminal.environment);
  return {
    program,
    terminal,
    settings,
    storeSettings() {
      const given = settings();
      if (given.memory) throw new OperatorError('--memory: nothing is stored there; give --data or --items');
      return given;
    },
    showSettings(command, names, isClient = false) {
      const shown: readonly string[] = names;
      const visibleGlobalOptions = () =>
        settingOptions(isClient).filter((option) => shown.includes(option.attributeName()));
      return command.configureHelp({ showGlobalOptions: true, visibleGlobalOptions });
    },
    exitWithOne() {
      outcome.exitCode = 1;
    },
  };
}

/** Every command may be given the store of the server (docs/operations.md#commands), whether it reads all of it or not. */
const ofStore: readonly string[] = ['dataFolder', 'items', 'blobs', 'memory'] satisfies SettingName[];

/** The settings on the command line that the command does not read: `export --host …` still exports the store here. */
function withoutEffect(program: Command, command: Command): string[] {
  // `serve` has all of them, and `doctor` is given what the server is given.
  if (command.name() === 'serve' || command.name() === 'doctor') return [];
  const read = [...ofStore, ...visibleNames(command)];
  const { parent } = command;
  const name = parent === null || parent === program ? command.name() : `${parent.name()} ${command.name()}`;
  return program.options
    .filter((option) => program.getOptionValueSource(option.attributeName()) === 'cli')
    .filter((option) => !read.includes(option.attributeName()))
    .map((option) => `${option.long} has no effect on ${name}`);
}

function visibleNames(command: Command): readonly string[] {
  return command
    .createHelp()
    .visibleGlobalOptions(command)
    .map((option) => option.attributeName());
}

/** commander would print the help of the default command. */
function refuseHelpOfUnknownCommand(terminal: Terminal, commands: readonly RegisterCommand[]): void {
  const words = terminal.arguments.filter((argument) => !asksForHelp(argument));
  if (words.length === terminal.arguments.length) return;
  const program = createProgram({ terminal, commands });
  const [word] = program.parseOptions(words).operands;
  if (word === undefined || program.commands.some((command) => command.name() === word)) return;
  throw unknownCommand(word, program);
}

function settingOptions(isClient = false): Option[] {
  return (Object.entries(settingRules) as [SettingName, SettingRule<unknown>][]).map(([name, setting]) => {
    const help = isClient ? (setting.clientHelp ?? setting.help) : setting.help;
    const option = new Option(setting.flag, `${help} [${setting.variable}]`);
    option.attributeName = () => name;
    if (setting.repeatable) {
      option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
    }
    const shown = setting.defaultText ?? setting.default;
    if (typeof shown === 'string' || typeof shown === 'number') option.description += ` (default: ${shown})`;
    return option;
  });
}

/** commander puts a suggestion on a second line. */
function oneLine(text: string): string {
  return text
    .trim()
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, ' ');
}
