import type { Command } from 'commander';
import { type KeyAdministration, type KeyInfo, keyPages } from '../../keys/key-administration.js';
import { OperatorError } from '../../operator-error.js';
import { describePlaces } from '../../store/open-store.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { addLimitOptions, type GivenLimits, limitsOfOptions } from '../key-limits.js';
import { describedKey, keyTable } from '../output/key-list.js';
import { table } from '../output/table.js';
import { runOnStore } from '../run-on-store.js';

interface Printed {
  readonly json?: boolean;
}

/** `keys create`, `keys list` and `keys revoke`. */
export const keysCommand: RegisterCommand = (context) => {
  const keys = context.program
    .command('keys')
    .description('create, list and revoke keys, also while a server runs')
    .helpCommand(false);
  const subcommand = (name: string): Command => {
    const command = keys.command(name).option('--json', 'print JSON');
    return context.showSettings(command, ['dataFolder', 'items', 'acceptDamagedRows']);
  };
  addLimitOptions(subcommand('create'))
    .description(
      'create a key and print it; it is shown only once. Without further options it may do everything',
    )
    .argument('<project>', 'the project of the key: 1 to 64 letters, digits and hyphens')
    .action((project: string, given: GivenLimits & Printed) => createKey(context, project, given));
  subcommand('list')
    .description('list the created keys; those of --key and --key-file are not listed')
    .action(({ json }: Printed) => listKeys(context, json));
  subcommand('revoke')
    .description('revoke a key; it stops working at once')
    .argument('<id>', 'the id of the key in the list')
    .action((id: string, { json }: Printed) => revokeKey(context, id, json));
};

async function createKey(
  context: CommandContext,
  project: string,
  { json, ...limits }: GivenLimits & Printed,
): Promise<void> {
  const { terminal } = context;
  const options = await limitsOfOptions(limits);
  await withKeys(context, async (keys, where) => {
    const made = await keys.create(project, options);
    const secret = made.s3?.secretAccessKey;
    if (json) {
      terminal.out(JSON.stringify({ ...describedKey(made), key: made.key, secret_access_key: secret }));
    } else {
      terminal.out(table(['KEY', 'ID', 'PROJECT'], [[made.key, made.id, made.project]]));
      if (made.s3 !== undefined) {
        terminal.out(
          table(['ACCESS KEY ID', 'SECRET ACCESS KEY'], [[made.s3.accessKeyId, made.s3.secretAccessKey]]),
        );
      }
    }
    terminal.err(`For the store in ${where}`);
  });
}

async function listKeys(context: CommandContext, json?: boolean): Promise<void> {
  const { terminal } = context;
  await withKeys(context, async (keys) => {
    const infos: KeyInfo[] = [];
    for await (const page of keyPages(keys)) infos.push(...page);
    terminal.out(json ? JSON.stringify(infos.map(describedKey)) : keyTable(infos));
  });
}

async function revokeKey(context: CommandContext, id: string, json?: boolean): Promise<void> {
  await withKeys(context, async (keys) => {
    if (!(await keys.revoke(id))) throw new OperatorError(`There is no key with the id ${id}`);
    context.terminal.out(json ? JSON.stringify({ id }) : `Revoked ${id}`);
  });
}

/**
 * Works on the keys through the server that has the data folder. If none runs, or the rows are shared, it works on the
 * rows. `where` tells people which store it is, and whether a server runs.
 */
async function withKeys(
  { storeSettings, terminal }: CommandContext,
  work: (keys: KeyAdministration, where: string) => Promise<void>,
): Promise<void> {
  const settings = storeSettings();
  const { remoteKeys } = await import('../../server/control/key-operations.js');
  await runOnStore(settings, terminal, {
    async viaServer(folder) {
      const keys = await remoteKeys(folder.path);
      if (keys === undefined) return undefined;
      return { result: await work(keys, `${describePlaces(settings, folder)}, through its running server`) };
    },
    async directly(items, folder) {
      const { createKeyRing } = await import('../../keys/key-ring.js');
      const note = items.isShared ? '' : '; no server runs on it now';
      await work(
        await createKeyRing(items, [], Date.now),
        `${describePlaces({ ...settings, blobs: undefined }, folder)}${note}`,
      );
    },
  });
}
