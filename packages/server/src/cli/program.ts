import { readFileSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import {
  type GivenFlags,
  readSettings,
  type SettingName,
  type SettingRule,
  type Settings,
  settingRules,
  WrongSettings,
} from '../config/settings.js';
import { StorageUnavailable } from '../engines/storage-errors.js';
import { OperatorError } from '../operator-error.js';
import { addCopyCommand } from './copy-command.js';
import type { KeyCommand } from './keys.js';
import type { Terminal } from './terminal.js';

const wrongUse = 2;
const distributions = ['by-space', 'by-key'] as const;

/**
 * Runs a command to its end. Gives the exit code: 0; 2 with a line on standard error for what the caller can
 * mend (an option, the data folder, the port, a key's id); 1 for what nobody expected, and when `check` found something.
 */
export async function run(terminal: Terminal): Promise<number> {
  try {
    const outcome = { exitCode: 0 };
    await createProgram(terminal, outcome).parseAsync([...terminal.arguments], { from: 'user' });
    return outcome.exitCode;
  } catch (cause) {
    if (cause instanceof CommanderError) return cause.exitCode === 0 ? 0 : wrongUse;
    for (const line of expectedLines(cause)) terminal.err(`basedrive: ${line}`);
    return expectedLines(cause).length > 0 ? wrongUse : unexpected(terminal, cause);
  }
}

function expectedLines(cause: unknown): readonly string[] {
  if (cause instanceof WrongSettings) return cause.lines;
  // A database that goes away while a command runs is the operator's to bring back.
  const isExpected = cause instanceof OperatorError || cause instanceof StorageUnavailable;
  return isExpected ? [cause.message] : [];
}

function unexpected(terminal: Terminal, cause: unknown): number {
  terminal.err(cause instanceof Error ? (cause.stack ?? cause.message) : String(cause));
  return 1;
}

/** A command loads its own code only when it runs: help and wrong options are answered at once. */
function createProgram(terminal: Terminal, outcome: { exitCode: number }): Command {
  const program = new Command('basedrive')
    .description('A key-value document database and a file store behind one HTTP API and one key.')
    .version(version())
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      outputError: (text, write) => write(`basedrive: ${oneLine(text)}`),
    })
    .helpCommand(false);
  for (const option of options()) program.addOption(option);

  const settings = () => readSettings(program.opts<GivenFlags>(), terminal.environment);

  program
    .command('serve', { isDefault: true })
    .description('serve bases and drives (the default command)')
    .configureHelp({ showGlobalOptions: true })
    .allowExcessArguments()
    .action(async (_options, command: Command) => {
      // commander hands the default command every word that names no other.
      const [word] = command.args;
      if (word !== undefined) throw new OperatorError(`unknown command '${word}' (see --help)`);
      const { serve } = await import('./serve.js');
      await serve(settings(), terminal);
    });

  const keys = program
    .command('keys')
    .description('make, list and revoke keys, also while a server runs')
    .helpCommand(false);
  const keyCommand = (command: Command): Command =>
    command.option('--json', 'print JSON').configureHelp(showing(program, ['dataFolder', 'items']));
  const keySettings = (command: Command): KeyCommand => ({
    places: kept(settings()),
    json: command.opts<{ json?: boolean }>().json ?? false,
    print: terminal.out,
  });
  keyCommand(keys.command('create'))
    .description('make a key and print it, once')
    .argument('<project>', 'whose key: 1 to 64 letters, digits and hyphens')
    .action(async (project: string, _options, command: Command) => {
      const { createKey } = await import('./keys.js');
      await createKey(keySettings(command), project);
    });
  keyCommand(keys.command('list'))
    .description('list the keys that were made here, not those given by --key')
    .action(async (_options, command: Command) => {
      const { listKeys } = await import('./keys.js');
      await listKeys(keySettings(command));
    });
  keyCommand(keys.command('revoke'))
    .description('make a key useless, at once')
    .argument('<id>', 'its id in the list')
    .action(async (id: string, _options, command: Command) => {
      const { revokeKey } = await import('./keys.js');
      await revokeKey(keySettings(command), id);
    });
  program
    .command('check')
    .description(
      'read the whole store, also while a server runs, and say what is wrong; exit code 1 when something is',
    )
    .option('--repair', 'set aside, in the data folder, blobs that no row owns; nothing is deleted')
    .option('--json', 'print JSON')
    .configureHelp(showing(program, ['dataFolder', 'items', 'blobs']))
    .action(async (given: { repair?: boolean; json?: boolean }) => {
      const { check } = await import('./check.js');
      const { repair = false, json = false } = given;
      const { environment, out: print } = terminal;
      const isClean = await check({ places: kept(settings()), environment, repair, json, print });
      if (!isClean) outcome.exitCode = 1;
    });
  program
    .command('migrate')
    .description('make the tables of a database, or bring them to this version: before servers start')
    .addOption(
      new Option('--distribute <how>', 'over the machines of Citus: a base or drive on one, or each over all')
        .choices(distributions)
        .default('by-space'),
    )
    .configureHelp(showing(program, ['items']))
    .action(async ({ distribute }: { distribute: (typeof distributions)[number] }) => {
      const { migrate } = await import('./migrate.js');
      await migrate({ items: kept(settings()).items, distribute, print: terminal.out });
    });
  addCopyCommand(program, terminal, outcome);
  return program;
}

function options(): Option[] {
  return (Object.entries(settingRules) as [SettingName, SettingRule<unknown>][]).map(([name, setting]) => {
    const option = new Option(setting.flag, `${setting.help} [${setting.variable}]`);
    option.attributeName = () => name;
    if (setting.repeatable) {
      option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
    }
    const shown = setting.defaultText ?? setting.default;
    if (typeof shown === 'string' || typeof shown === 'number') option.description += ` (default: ${shown})`;
    return option;
  });
}

/** For the help of a command: which of the settings it reads. */
function showing(program: Command, names: readonly SettingName[]) {
  const visibleGlobalOptions = () =>
    program.options.filter((option) => (names as readonly string[]).includes(option.attributeName()));
  return { showGlobalOptions: true, visibleGlobalOptions };
}

function kept(settings: Settings): Settings {
  if (settings.memory) throw new OperatorError('--memory: nothing is kept there; give --data or --items');
  return settings;
}

/** commander adds a guess on a second line. */
function oneLine(text: string): string {
  return text
    .trim()
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, ' ');
}

function version(): string {
  const file = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
