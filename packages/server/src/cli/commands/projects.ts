import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { OperatorError } from '../../operator-error.js';
import { type Administer, withAdministration } from '../administration.js';
import type { CommandContext, RegisterCommand } from '../command.js';
import { table } from '../output/table.js';
import { storeSettingNames } from '../run-on-store.js';
import { unlessStopped } from '../stop-signal.js';

interface Listed {
  readonly name: string;
  readonly created?: number;
  readonly deleting?: boolean;
}

interface Page {
  readonly paging?: { readonly last: string };
  readonly projects: readonly Listed[];
}

interface Printed {
  readonly json?: boolean;
}

interface DeleteOptions extends Printed {
  readonly yes?: boolean;
}

interface GivenQuota extends Printed {
  readonly maxItems?: string;
  readonly maxItemBytes?: string;
  readonly maxFiles?: string;
  readonly maxFileBytes?: string;
  readonly rate?: string;
  readonly none?: boolean;
}

/** The members of a quota, and the options that set them. */
const optionsOfMembers = [
  ['items', 'maxItems', '--max-items'],
  ['item_bytes', 'maxItemBytes', '--max-item-bytes'],
  ['files', 'maxFiles', '--max-files'],
  ['file_bytes', 'maxFileBytes', '--max-file-bytes'],
  ['requests_per_second', 'rate', '--rate'],
] as const;

const root = '/admin/projects';
const pauseMs = 100;

/** `projects list`, `create`, `delete`, `quota` and `usage`. */
export const projectsCommand: RegisterCommand = (context) => {
  const projects = context.program
    .command('projects')
    .description('list, create and delete projects, also while a server runs')
    .helpCommand(false);
  const subcommand = (name: string): Command => {
    const command = projects.command(name).option('--json', 'print JSON');
    return context.showSettings(command, storeSettingNames);
  };
  subcommand('list')
    .description('list the projects that have a key or store something')
    .action(({ json }: Printed) => listProjects(context, json));
  subcommand('create')
    .description('create a project and print its first key; it is shown only once')
    .argument('<project>', '1 to 64 letters, digits and hyphens')
    .action((project: string, { json }: Printed) => createProject(context, project, json));
  subcommand('delete')
    .description('delete a project with all that it has: bases, drives, keys. It does not come back')
    .argument('<project>', 'the project')
    .argument('[again]', 'its name once more, unless you give --yes')
    .option('--yes', 'do not ask for the name a second time')
    .action((project: string, again: string | undefined, { yes = false, json }: DeleteOptions) => {
      if (!yes && again !== project) throw unconfirmed(project);
      return deleteProject(context, project, json);
    });
  subcommand('quota')
    .description('limit what a project may store, and its requests; replaces the quota that it had')
    .argument('<project>', 'the project')
    .option('--max-items <number>', 'the maximum number of items')
    .option('--max-item-bytes <number>', 'the maximum bytes of their JSON')
    .option('--max-files <number>', 'the maximum number of files')
    .option('--max-file-bytes <number>', 'the maximum bytes of files, of the trash and of open uploads')
    .option('--rate <number>', 'the maximum number of requests a second, over all keys')
    .option('--none', 'no quota')
    .action((project: string, given: GivenQuota) => setQuota(context, project, given));
  subcommand('usage')
    .description('print what a project has stored, or what all of them have')
    .argument('[project]', 'the project')
    .action((project: string | undefined, { json }: Printed) =>
      project === undefined ? printAllUsage(context, json) : printUsage(context, project, json),
    );
};

function unconfirmed(project: string): OperatorError {
  return new OperatorError(
    `All that ${project} has would be gone: give its name once more (projects delete ${project} ${project}), or --yes`,
  );
}

function pathOf(project: string, rest = ''): string {
  return `${root}/${encodeURIComponent(project)}${rest}`;
}

async function readAll(administer: Administer): Promise<readonly Listed[]> {
  const all: Listed[] = [];
  for (let last = ''; ; ) {
    const { paging, projects } = (await administer('GET', `${root}?last=${last}`)) as Page;
    all.push(...projects);
    if (paging === undefined) return all;
    ({ last } = paging);
  }
}

async function listProjects(context: CommandContext, json?: boolean): Promise<void> {
  const projects = await withAdministration(context, readAll);
  context.terminal.out(json ? JSON.stringify(projects) : projectTable(projects));
}

function projectTable(projects: readonly Listed[]): string {
  const rows = projects.map(({ name, created, deleting }) => [
    name,
    created === undefined ? '' : new Date(created * 1000).toISOString(),
    deleting ? 'is being deleted' : '',
  ]);
  return table(['PROJECT', 'CREATED', ''], rows);
}

async function createProject(context: CommandContext, name: string, json?: boolean): Promise<void> {
  const made = await withAdministration(context, (administer) => administer('POST', root, { name }));
  const { id, key } = made as { readonly id: string; readonly key: string };
  context.terminal.out(json ? JSON.stringify(made) : table(['KEY', 'ID', 'PROJECT'], [[key, id, name]]));
}

async function deleteProject(context: CommandContext, project: string, json?: boolean): Promise<void> {
  const advice = 'a deletion that has begun goes on whenever a server runs';
  await unlessStopped(advice, () =>
    withAdministration(context, async (administer) => {
      await administer('DELETE', pathOf(project));
      const isListed = async () => {
        const { projects } = (await administer('GET', `${root}?prefix=${project}`)) as Page;
        return projects.some(({ name, deleting }) => name === project && deleting);
      };
      while (await isListed()) await wait(pauseMs);
    }),
  );
  context.terminal.out(json ? JSON.stringify({ name: project }) : `Deleted ${project}`);
}

async function setQuota(
  context: CommandContext,
  project: string,
  { none = false, json, ...given }: GivenQuota,
): Promise<void> {
  const members = optionsOfMembers.flatMap(([member, name, option]) => {
    const value = given[name];
    return value === undefined ? [] : [[member, numberOf(option, value)] as const];
  });
  if ((members.length === 0) !== none) {
    throw new OperatorError(
      'Say what is limited (--max-items, --max-item-bytes, --max-files, --max-file-bytes, --rate), or --none',
    );
  }
  const quota = await withAdministration(context, (administer) =>
    administer('PUT', pathOf(project, '/quota'), Object.fromEntries(members)),
  );
  const done = none ? 'Removed' : 'Set';
  context.terminal.out(json ? JSON.stringify(quota) : `${done} the quota of ${project}`);
}

function numberOf(option: string, value: string): number {
  const number = /^\d{1,16}(\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN;
  if (!Number.isNaN(number)) return number;
  throw new OperatorError(`${option} ${value}: must be a number, 0 or more`);
}

type Usage = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly exact: boolean;
  readonly quota?: Readonly<Record<string, number>>;
};

async function printAllUsage(context: CommandContext, json?: boolean): Promise<void> {
  const all = await withAdministration(context, async (administer) => {
    const projects = (await readAll(administer)).filter(({ deleting }) => !deleting);
    const usages: Usage[] = [];
    for (const { name } of projects) usages.push((await administer('GET', pathOf(name, '/usage'))) as Usage);
    return usages;
  });
  context.terminal.out(json ? JSON.stringify(all) : usageTable(all));
}

/** What each project stores, and the largest share of a quota that it has used, the fullest project first. */
function usageTable(all: readonly Usage[]): string {
  const counted = ['items', 'item_bytes', 'files', 'file_bytes'];
  const sized = all.map(({ name, quota = {}, exact, ...numbers }) => {
    const shares = counted.flatMap((what) =>
      quota[what] === undefined ? [] : [Number(numbers[what]) / Math.max(quota[what], 1)],
    );
    const fullest = shares.length === 0 ? undefined : Math.max(...shares);
    return { name, numbers, fullest, exact };
  });
  const rows = sized
    .toSorted((a, b) => (b.fullest ?? -1) - (a.fullest ?? -1))
    .map(({ name, numbers, fullest, exact }) => [
      name,
      ...counted.map((what) => String(numbers[what])),
      fullest === undefined ? '' : `${Math.floor(fullest * 100)} %`,
      exact ? '' : 'not exact',
    ]);
  return table(['PROJECT', 'ITEMS', 'ITEM BYTES', 'FILES', 'FILE BYTES', 'QUOTA USED', ''], rows);
}

async function printUsage(context: CommandContext, project: string, json?: boolean): Promise<void> {
  const usage = await withAdministration(context, (administer) =>
    administer('GET', pathOf(project, '/usage')),
  );
  if (json) {
    context.terminal.out(JSON.stringify(usage));
    return;
  }
  const { name: _, exact, quota: most = {}, ...numbers } = usage as Usage;
  const rows = Object.entries(numbers).map(([what, number]) => [
    what,
    String(number),
    most[what] === undefined ? '' : String(most[what]),
  ]);
  context.terminal.out(table(['WHAT', 'STORED', 'QUOTA'], rows));
  const { requests_per_second: rate } = most;
  if (rate !== undefined) context.terminal.out(`At most ${rate} requests a second`);
  if (exact === false) context.terminal.err('Not exact: a base was counted earlier, or is not counted yet');
}
