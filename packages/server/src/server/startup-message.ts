import type { Settings } from '../config/settings.js';
import { newProject } from '../keys/key-format.js';
import { shellWord } from '../lib/text/words.js';
import { findProjects } from '../store/projects.js';
import { bracketed, type Service, serviceUrl } from './service.js';

type Print = (line: string) => void;

const maxShownProjects = 10;
const anyAddress = ['0.0.0.0', '::'];

/** Prints what the operator needs to know of a server that has just started. */
export function announce(service: Service, settings: Settings, print: Print): void {
  print(`Basedrive listens on ${serviceUrl(settings.host, service)}`);
  print(`Data is stored in ${service.places}`);
  if (service.hasConsole) print(`The console is at ${settings.publicUrl ?? callableUrl(service, settings)}/`);
  if (service.metricsUrl !== undefined) print(`Metrics are at ${service.metricsUrl}`);
  if (service.tracesUrl !== undefined) print(`Traces are sent to ${service.tracesUrl}`);
  for (const warning of service.warnings) print(`Warning: ${warning}`);
  if (!service.secure) return;
  print('The old client libraries need these variables before their program starts:');
  if (service.caFile !== undefined) {
    print(`export NODE_EXTRA_CA_CERTS=${shellWord(service.caFile)}`);
    print(
      `export SSL_CERT_FILE=${shellWord(service.caFile)}   # Python and Go; it replaces the system's authorities`,
    );
  }
  const host = `${bracketed(nameOf(settings))}:${service.port}`;
  print(`export DETA_BASE_HOST=${host} DETA_DRIVE_HOST=${host}`);
}

/**
 * Makes and shows a first key when the store accepts none. A store that already holds projects (it was copied, or
 * started with `--key` before) gets no key for another project: its projects are named instead. `program`: what commands
 * begin with.
 */
export async function announceKeys(
  service: Service,
  settings: Settings,
  program: string,
  print: Print,
): Promise<void> {
  if (!service.keys.isEmpty) return;
  const projects = await findProjects(service.items);
  if (projects.length > 0) {
    const more = projects.length > maxShownProjects ? ' and more' : '';
    print(
      `\nNo key is accepted yet, but the store holds projects: ${projects.slice(0, maxShownProjects).join(', ')}${more}.`,
    );
    print(`Make a key for one of them: ${program} keys create ${projects[0]}${storeFlags(settings)}`);
    print('or start the server with --key and the key that it had before.\n');
    return;
  }
  const made = await service.keys.createFirst(newProject());
  if (made !== undefined) announceFirstKey(made, service, settings, print);
}

/** The options with which a command reaches the store of this server. Never a password. */
function storeFlags({ dataFolder, items }: Settings): string {
  return items === undefined ? ` --data ${shellWord(dataFolder)}` : ' --items …';
}

/** Prints a key, which is shown only now, and a command that works when pasted. */
function announceFirstKey(
  made: { key: string; project: string },
  service: Service,
  settings: Settings,
  print: Print,
): void {
  const ca = service.caFile === undefined ? '' : ` --cacert ${shellWord(service.caFile)}`;
  const address = callableUrl(service, settings);
  print(`\nA first key, for project ${made.project}. It is shown only now, so keep it:\n\n  ${made.key}\n`);
  print('Put a first item into the base "hello":\n');
  print(
    `  curl${ca} -X PUT ${address}/v1/${made.project}/hello/items -H 'X-API-Key: ${made.key}'` +
      ` -H 'Content-Type: application/json' -d '{"items":[{"key":"first","text":"Hello"}]}'\n`,
  );
}

/** An address that works on this machine, and that the certificate has. */
function callableUrl(service: Service, settings: Settings): string {
  return serviceUrl(service.secure ? nameOf(settings) : reachable(settings.host), service);
}

/** A name that the certificate has: the operator's first, else the one of this machine. */
function nameOf(settings: Settings): string {
  const own = settings.hostnames[0];
  if (own !== undefined && !own.startsWith('*')) return own;
  const isLocal = settings.host === '127.0.0.1' || settings.host === '::1';
  return isLocal || anyAddress.includes(settings.host) ? 'localhost' : settings.host;
}

/** An address that a client can call, in place of one that means all addresses. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}
