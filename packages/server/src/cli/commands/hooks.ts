import type { Command } from 'commander';
import type { NewWebhook, WebhookChange, Webhooks } from '#client';
import { writePlainJson } from '../../json/plain.js';
import { OperatorError } from '../../operator-error.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { addFollowedOptions, type GivenFollowed, readFollowed } from '../followed-options.js';
import { hookTable } from '../output/hook-list.js';
import { addServerOptions, type ProjectOptions, withServer } from '../with-project.js';

interface GivenHook extends GivenFollowed {
  readonly name?: string;
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
  addFollowedOptions(subcommand('create'))
    .description('create a webhook and print its secret; it is shown only once')
    .argument('<address>', 'where changes are sent: https://… or http://…')
    .option('--name <text>', 'what people call it')
    .option('--since <cursor>', 'where it begins: 0 for everything that is there, or a cursor (default: now)')
    .action((url: string, given: GivenHook, command: Command) =>
      withHooks(context, command, async (webhooks, print) => {
        const made = await webhooks.create(newWebhook(url, given));
        print(made, () => `${hookTable([made])}\nSecret: ${made.secret}`);
      }),
    );
  const ofOne = (name: string) => subcommand(name).argument('<id>', 'the id of the webhook in the list');
  const changeOne = (command: Command, id: string, change: WebhookChange) =>
    withHooks(context, command, async (webhooks, print) => {
      const changed = await ofWebhook(id, webhooks.change(id, change));
      print(changed, () => hookTable([changed]));
    });
  ofOne('test')
    .description('send a message without changes now; the exit code is 1 if it was not taken')
    .action((id: string, _options, command: Command) =>
      withHooks(context, command, async (webhooks, print) => {
        const sent = await ofWebhook(id, webhooks.test(id));
        print(sent, () =>
          sent.delivered ? `Taken with ${sent.status}` : `Not taken: ${sent.error ?? sent.status}`,
        );
        if (!sent.delivered) context.exitWithOne();
      }),
    );
  ofOne('pause')
    .description('send nothing until it is resumed')
    .action((id: string, _options, command: Command) => changeOne(command, id, { paused: true }));
  ofOne('resume')
    .description('send again, whatever has stopped it')
    .option('--since <cursor>', 'where it goes on: 0 for everything that is there, now, or a cursor')
    .action((id: string, { since }: Pick<GivenHook, 'since'>, command: Command) =>
      changeOne(command, id, { paused: false, since }),
    );
  ofOne('delete')
    .description('delete a webhook')
    .action((id: string, _options, command: Command) =>
      withHooks(context, command, async (webhooks, print) => {
        if (!(await webhooks.delete(id))) throw noWebhook(id);
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
  const { out } = context.terminal;
  await withServer(context, options, ({ webhooks }) =>
    work(webhooks, (value, text) => out(json ? writePlainJson(value) : text())),
  );
}

function noWebhook(id: string): OperatorError {
  return new OperatorError(`There is no webhook with the id ${id}`);
}

/** The answer of a webhook. Throws an `OperatorError` that names it if it is not there. */
async function ofWebhook<T>(id: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    const { BasedriveError } = await import('#client');
    throw cause instanceof BasedriveError && cause.code === 'not_found' ? noWebhook(id) : cause;
  }
}

function newWebhook(url: string, given: GivenHook): NewWebhook {
  return { url, name: given.name, ...readFollowed(given) };
}
