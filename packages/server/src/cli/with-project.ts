import type { Command } from 'commander';
import type { Basedrive } from '#client';
import type { ProjectAddress } from '#client/archive';
import type { Settings } from '../config/settings.js';
import { urlVariable } from '../config/variables.js';
import { readKeyFile } from '../keys/key-file.js';
import { projectOf, projectProblem } from '../keys/key-format.js';
import { OperatorError } from '../operator-error.js';
import type { CommandContext } from './command.js';
import { runOnStore, storeSettingNames, withStore } from './run-on-store.js';

/** The options that say which project a command is about, and on which server. */
export interface ProjectOptions {
  readonly url?: string;
  readonly project?: string;
  /** Refuses a project of a store that holds nothing: its name may be misspelled. */
  readonly mustExist?: boolean;
  /** Whether the project is written to. */
  readonly writes?: boolean;
}

/** Where the client library finds the server by default, too. */
const defaultUrl = 'http://127.0.0.1:8080';

/** Adds the options of a command that works with a server only. */
export function addServerOptions({ showSettings }: CommandContext, command: Command): Command {
  command
    .option('--url <address>', `the address of the server (default: ${defaultUrl}) [${urlVariable}]`)
    .option('--project <name>', 'the project of the key, if there are keys of several');
  return showSettings(command, ['keyFile', 'keys'], true);
}

/** Adds these options to a command. */
export function addProjectOptions({ showSettings }: CommandContext, command: Command): Command {
  command
    .option('--url <address>', `the address of the server, https://host; it needs a key [${urlVariable}]`)
    .option('--project <name>', 'the project (default: that of the key, or the only one in the store)');
  return showSettings(command, [...storeSettingNames, 'keyFile', 'keys'], true);
}

/**
 * Gives `work` the project that the options name. With a URL, it is reached over the network, with the key of
 * `--key-file`, `BASEDRIVE_KEY` or `--key`. Otherwise it is in the store of `--data`, `--items` and `--blobs`, and no
 * key is needed: the command asks the server that has the store, or opens the store itself. Throws `OperatorError`, also
 * for what the client library throws.
 */
export async function withProject<T>(
  context: CommandContext,
  options: ProjectOptions,
  work: (address: ProjectAddress) => Promise<T>,
): Promise<T> {
  return await forOperator(() => reach(context, options, work));
}

async function reach<T>(
  context: CommandContext,
  options: ProjectOptions,
  work: (address: ProjectAddress) => Promise<T>,
): Promise<T> {
  const url = urlOf(context, options);
  const keys = await keysOf(context.settings());
  if (url === undefined) {
    const { project = onlyProject(keys), mustExist, writes } = options;
    return await inStore(context, { project, mustExist, writes }, work);
  }
  const key = chooseKey(keys, options.project);
  const { addressOfUrl } = await import('#client/archive');
  return await using(addressOfUrl(url, projectOf(key), key), work);
}

/** Gives the project to `work`, and closes the connections that wait for further requests. */
async function using<T>(address: ProjectAddress, work: (address: ProjectAddress) => Promise<T>): Promise<T> {
  try {
    return await work(address);
  } finally {
    address.close();
  }
}

/**
 * Gives the server that the options name, and a key of the project, from `--key-file`, `BASEDRIVE_KEY` or `--key`.
 * Throws `OperatorError`, also for options that name a store.
 */
export async function projectOnServer(
  context: CommandContext,
  options: ProjectOptions,
): Promise<{ readonly url: URL; readonly key: string }> {
  if (storeOption(context) !== undefined) {
    throw new OperatorError('this command works with a server: give --url, and no store');
  }
  const url = urlOf(context, options) ?? new URL(defaultUrl);
  return { url, key: chooseKey(await keysOf(context.settings()), options.project) };
}

/** Gives `work` that project. Large integers in answers are BigInts. Throws `OperatorError`, also for what the server refuses. */
export async function withServer(
  context: CommandContext,
  options: ProjectOptions,
  work: (project: Basedrive) => Promise<void>,
): Promise<void> {
  const { url, key } = await projectOnServer(context, options);
  const { Basedrive } = await import('#client');
  await forOperator(() => work(Basedrive(key, { url: url.href, bigint: true })));
}

/** Makes what the client library throws an `OperatorError`. */
async function forOperator<T>(work: () => Promise<T>): Promise<T> {
  const { BasedriveError } = await import('#client');
  return await work().catch((cause: unknown) => {
    if (!(cause instanceof BasedriveError)) throw cause;
    throw new OperatorError(withAdvice(cause.message), { cause });
  });
}

const adviceFor: readonly (readonly [failure: RegExp, advice: string])[] = [
  [/wrong version number/, 'the server speaks HTTP there: begin the URL with http://'],
  [
    /unable to (verify|get)|self-signed certificate/,
    'if the authority of the certificate is yours, name its file in NODE_EXTRA_CA_CERTS; that of --https is ' +
      'tls/ca.crt in the data folder of the server',
  ],
];

/** What the client library says of a failure, with what to do where Node and OpenSSL do not say it. */
export function withAdvice(message: string): string {
  const [, advice] = adviceFor.find(([failure]) => failure.test(message)) ?? [];
  return advice === undefined ? message : `${message.replace(/[\s:]+$/, '')}: ${advice}`;
}

/** `--url`, else its variable unless the command line names a store. */
function urlOf(context: CommandContext, { url }: ProjectOptions): URL | undefined {
  const namesStore = storeOption(context);
  if (url !== undefined && namesStore !== undefined) {
    throw new OperatorError(
      '--url: names a server; leave out --data, --items and --blobs, which name a store',
    );
  }
  const given = url ?? (namesStore === undefined ? context.terminal.environment[urlVariable] : undefined);
  if (given === undefined || given === '') return undefined;
  const parsed = URL.canParse(given) ? new URL(given) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new OperatorError(`--url ${given}: must be the address of a server, http://… or https://…`);
  }
  return parsed;
}

/** An option of the command line that names a store. */
function storeOption({ program }: CommandContext): string | undefined {
  return storeSettingNames.find((name) => program.opts<Record<string, unknown>>()[name] !== undefined);
}

async function keysOf({ keys, keyFile }: Settings): Promise<readonly string[]> {
  return [...keys, ...(keyFile === undefined ? [] : await readKeyFile(keyFile))];
}

function onlyProject(keys: readonly string[]): string | undefined {
  const projects = new Set(keys.map(projectOf));
  return projects.size === 1 ? [...projects][0] : undefined;
}

function chooseKey(keys: readonly string[], project: string | undefined): string {
  const fitting = project === undefined ? keys : keys.filter((key) => projectOf(key) === project);
  const [key, ...others] = fitting;
  if (key === undefined) {
    const whose = project === undefined ? 'a key' : `a key of project ${project}`;
    throw new OperatorError(`The server needs ${whose}: put it in a file (--key-file) or in BASEDRIVE_KEY`);
  }
  if (others.some((other) => projectOf(other) !== projectOf(key))) {
    throw new OperatorError('There are keys of several projects: say which one with --project');
  }
  return key;
}

async function inStore<T>(
  context: CommandContext,
  { project, mustExist = false, writes = false }: Pick<ProjectOptions, 'project' | 'mustExist' | 'writes'>,
  work: (address: ProjectAddress) => Promise<T>,
): Promise<T> {
  const problem = project === undefined ? undefined : projectProblem(project);
  if (problem !== undefined) throw new OperatorError(`--project ${project}: ${problem}`);
  const settings = context.storeSettings();
  const { addressOfSocket } = await import('#client/archive');
  const { withOwnerSocket } = await import('../server/control/owner-socket.js');
  const { projectsOfServer, serverHoldsProject } = await import('../server/control/project-operations.js');
  return await runOnStore<T>(settings, context.terminal, {
    viaServer: (folder) =>
      withOwnerSocket(folder.path, async (socketPath) => {
        const chosen = project ?? theOnly((await projectsOfServer(folder.path)) ?? []);
        if (mustExist && (await serverHoldsProject(folder.path, chosen)) === false) throw nothingOf(chosen);
        return await using(addressOfSocket(socketPath, chosen), work);
      }),
    async directly(items) {
      const { holdsProject, projectsToChoose } = await import('../store/projects.js');
      const { withLocalApi } = await import('../server/local-api.js');
      const { changeStandby } = await import('../store/copy/copy-marker.js');
      return await withStore(settings, context.terminal.environment, items, async (store) => {
        const chosen = project ?? theOnly(await projectsToChoose(items));
        if (mustExist && !(await holdsProject(items, chosen))) throw nothingOf(chosen);
        if (writes) await changeStandby(items);
        return await withLocalApi(store, { ...settings, writes }, (socketPath) =>
          using(addressOfSocket(socketPath, chosen), work),
        );
      });
    },
  });
}

function nothingOf(project: string): OperatorError {
  return new OperatorError(`The store holds nothing of project ${project}: correct --project, or the store`);
}

function theOnly(projects: readonly string[]): string {
  const [project, ...others] = projects;
  if (project === undefined)
    throw new OperatorError('The store holds no project: say which one with --project');
  if (others.length === 0) return project;
  const maxNamed = 20;
  const named = [...projects].sort().slice(0, maxNamed).join(', ');
  throw new OperatorError(`The store holds several projects: say which one with --project (${named})`);
}
