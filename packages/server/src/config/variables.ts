import { closest, distance } from 'fastest-levenshtein';
import { engineVariableNames } from '../engines/registry.js';
import { type Environment, settingRules } from './settings.js';
import { isKubernetesAddress } from './values.js';

/** Addresses of `copy`: on the command line, a password would be visible in the list of processes. */
export const copyVariables = { from: 'BASEDRIVE_COPY_FROM', to: 'BASEDRIVE_COPY_TO' } as const;

/** The address of the server for the client library, `export` and `import`; a server may run in the same environment. */
export const urlVariable = 'BASEDRIVE_URL';

/** The token of `mcp --http`, which would be visible on the command line. */
export const mcpTokenVariable = 'BASEDRIVE_MCP_TOKEN';

const prefix = 'BASEDRIVE_';
/**
 * Kubernetes gives every container the addresses of all services: these are the variables of one called `basedrive-…`.
 */
const kubernetesName = /_SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;

/** The variables that the program reads besides those of the settings. A `*` stands for any further characters. */
export const furtherVariables: readonly string[] = [
  copyVariables.from,
  copyVariables.to,
  urlVariable,
  mcpTokenVariable,
  ...engineVariableNames(),
];

/**
 * A line for every option that npm kept for itself: it gives options before `--` (`npm start --port 9000`) to the
 * program as variables only, and `--https` or `--data` would have no effect. `--key` is an option of npm's own.
 */
export function optionsKeptByNpm(environment: Environment): readonly string[] {
  return Object.values(settingRules)
    .map(({ flag }) => flag.split(' ')[0] ?? flag)
    .filter((flag) => flag !== '--key')
    .filter((flag) => environment[`npm_config_${flag.slice(2).replaceAll('-', '_')}`] !== undefined)
    .map((flag) => `npm kept ${flag}: write options after --, as in npm start -- ${flag}`);
}

/** How the commands of the program are called: by npm where `npm start` has started it in a clone, which installs no program. */
export function programName(environment: Environment): string {
  const isClone = environment.npm_package_name === 'basedrive-workspace';
  return isClone && environment.npm_lifecycle_event === 'start' ? 'npm run -s basedrive --' : 'basedrive';
}

/** A line for every `BASEDRIVE_…` variable that nothing reads: its name is probably a mistake. */
export function unknownVariables(environment: Environment): readonly string[] {
  const known = [
    ...Object.values(settingRules).map(({ variable }) => variable),
    ...furtherVariables.filter((name) => name.startsWith(prefix)),
  ];
  return Object.keys(environment)
    .filter((name) => name.startsWith(prefix) && !known.includes(name))
    .filter((name) => !kubernetesName.test(name) && !isKubernetesAddress(environment[name] ?? ''))
    .map((name) => {
      const likeliest = closest(name, known);
      const isLikely = distance(name, likeliest) <= 1 + (name.length - prefix.length) / 4;
      return `unknown variable ${name}${isLikely ? `: did you mean ${likeliest}?` : ' (see --help)'}`;
    });
}
