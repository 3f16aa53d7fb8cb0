import type { Command } from 'commander';
import type { NewWebhook, Webhooks } from '#client';
import { OperatorError } from '../../operator-error.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { hookTable } from '../output/hook-list.js';
import { readQueryOption } from '../query-option.js';
import { repeated } from '../repeated-option.js';
import { addServerOptions, type ProjectOptions, projectOnServer } from '../with-project.js';

interface GivenHook {
  readonly name?: string;
  readonly base?: readonly string[];
  readonly drive?: readonly string[];
  readonly prefix?: string;
  readonly query?: string;
  readonly values: boolean;
  readonly since?: string;
}

/** `hooks list`, `create`, `test`, `pause`, `resume` and `delete` (docs/http.md#webhooks). */
export const hooksCommand: RegisterCommand = (context) => {
  const hooks = context.program
    .command('hooks')
    .description('list, create, test and delete webhooks, which send what changes to an address')
    .helpCommand(false);
  const subcommand = (name: string): Command =>
    addServerOptions(context, hooks.command(name).option('--json', 'print JSON'));
  subcommand('list')
    .description('list the webhooks: how far each is behind, and what became of its last message')
    .action((_options, command: Command) =>
      withHooks(context, command, async (webhooks, print) => {
        const list = await webhooks.list();
        print(list, () => hookTable(list));
      }),
    );
  subcommand('create')
    .description('create a webhook and print its secret; it is shown only once')
    .argument('<address>', 'where changes are sent: https://… or http://…')
    .option('--name <text>', 'what people call it')
    .addOption(
      repeated('--base <name>', 'this base only; * at the end: all that begin so (repeat it for several)'),
    )
    .addOption(repeated('--drive <name>', 'this drive only (repeat it for several)'))
    .option('--prefix <text>', 'only keys and names of files that begin with this')
    .option('--query <json>', 'items that match this query; of others, it sends deletions')
    .option('--no-values', 'items without their values')
    .option('--since <cursor>', 'where it begins: 0 for everything that is there, or a cursor (default: now)')
    .action((url: string, given: GivenHook, command: Command) =>
      withHooks(context, command, async (webhooks, print) => {
        const made = await webhooks.create(newWebhook(url, given));
        print(made, () => `${hookTable([made])}\nSecret: ${made.secret}`);
      }),
    );
  const ofOne = (name: string) => subcommand(name).argument('<id>', 'the id of the webhook in the list');
  ofOne('test')
    .description('send a message without changes now; the exit code is 1 if it was not taken')
    .action((id: string, _options, command: Command) =>
      withHooks(context, command, async (webhooks, print) => {
        const sent = await webhooks.test(id);
        print(sent, () =>
          sent.delivered ? `Taken with ${sent.status}` : `Not taken: ${sent.error ?? sent.status}`,
        );
        if (!sent.delivered) context.exitWithOne();
      }),
    );
  ofOne('pause')
    .description('send nothing until it is resumed')
    .action((id: string, _options, command: Command) =>
      withHooks(context, command, async (webhooks, print) => {
        const changed = await webhooks.change(id, { paused: true });
        print(changed, () => hookTable([changed]));
      }),
    );
  ofOne('resume')
    .description('send again, whatever has stopped it')
    .option('--since <cursor>', 'where it goes on: 0 for everything that is there, now, or a cursor')
    .action((id: string, { since }: Pick<GivenHook, 'since'>, command: Command) =>
      withHooks(context, command, async (webhooks, print) => {
        const changed = await webhooks.change(id, { paused: false, since });
        print(changed, () => hookTable([changed]));
      }),
    );
  ofOne('delete')
    .description('delete a webhook')
    .action((id: string, _options, command: Command) =>
      withHooks(context, command, async (webhooks, print) => {
        if (!(await webhooks.delete(id))) throw new OperatorError(`There is no webhook with the id ${id}`);
        print({ id }, () => `Deleted ${id}`);
      }),
    );
};

/** Prints a value as JSON if that is asked for, else the text. */
type Print = (value: unknown, text: () => string) => void;

/** Works on the webhooks of a project. Throws `OperatorError`, also for what the server refuses. */
async function withHooks(
  context: CommandContext,
  command: Command,
  work: (webhooks: Webhooks, print: Print) => Promise<void>,
): Promise<void> {
  const { json = false, ...options } = command.opts<ProjectOptions & { readonly json?: boolean }>();
  const { url, key } = await projectOnServer(context, options);
  const { Basedrive, BasedriveError } = await import('#client');
  const { out } = context.terminal;
  const { webhooks } = Basedrive(key, { url: url.href });
  try {
    await work(webhooks, (value, text) => out(json ? JSON.stringify(value) : text()));
  } catch (cause) {
    if (cause instanceof BasedriveError) throw new OperatorError(cause.message, { cause });
    throw cause;
  }
}

function newWebhook(url: string, given: GivenHook): NewWebhook {
  const { name, base: bases, drive: drives, prefix, values, since } = given;
  const query = given.query === undefined ? undefined : (readQueryOption(given.query) as NewWebhook['query']);
  return { url, name, bases, drives, prefix, query, values: values ? undefined : false, since };
}
