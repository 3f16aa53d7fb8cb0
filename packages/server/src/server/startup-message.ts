import type { Settings } from '../config/settings.js';
import { newProject } from '../keys/api-key.js';
import { findProjects } from '../store/projects.js';
import type { Service } from './start.js';

type Print = (line: string) => void;

const maxShownProjects = 10;
const anyAddress = ['0.0.0.0', '::'];

/** What a human wants to know of a server that has just started. */
export function announce(service: Service, settings: Settings, print: Print): void {
  print(`Basedrive listens on ${url(settings.host, service)}`);
  print(`Data lies ${service.places}`);
  if (!service.secure) return;
  // "prints the two lines a user of the old clients needs"
  print('Clients of the old libraries need, before they start:');
  if (service.caFile !== undefined) print(`export NODE_EXTRA_CA_CERTS=${shellWord(service.caFile)}`);
  const host = `${bracketed(nameOf(settings))}:${service.port}`;
  print(`export DETA_BASE_HOST=${host} DETA_DRIVE_HOST=${host}`);
}

/**
 * Makes and shows a first key when the store accepts none. A store that already holds projects (it was copied, or
 * started with `--key` before) gets no key for another project: its projects are named instead.
 */
export async function announceKeys(service: Service, settings: Settings, print: Print): Promise<void> {
  if (!service.keys.isEmpty) return;
  const projects = await findProjects(service.items);
  if (projects.length > 0) {
    const more = projects.length > maxShownProjects ? ' and more' : '';
    print(
      `\nNo key is accepted yet, but the store holds projects: ${projects.slice(0, maxShownProjects).join(', ')}${more}.`,
    );
    print(`Make a key for one of them: basedrive keys create ${projects[0]}${storeFlags(settings)}`);
    print('or start the server with --key and the key that it had before.\n');
    return;
  }
  const made = await service.keys.createFirst(newProject());
  if (made !== undefined) announceFirstKey(made, service, settings, print);
}

/** Enough options of a command to reach the store of this server. Never a password. */
function storeFlags({ dataFolder, items }: Settings): string {
  return items === undefined ? ` --data ${shellWord(dataFolder)}` : ' --items …';
}

/** A key is shown this once; the line beneath it works when pasted. */
function announceFirstKey(
  made: { key: string; project: string },
  service: Service,
  settings: Settings,
  print: Print,
): void {
  const ca = service.caFile === undefined ? '' : ` --cacert ${shellWord(service.caFile)}`;
  const address = url(service.secure ? nameOf(settings) : reachable(settings.host), service);
  print(`\nA first key, for project ${made.project}. It is shown only now, so keep it:\n\n  ${made.key}\n`);
  print('Put a first item into the base "hello":\n');
  print(
    `  curl${ca} -X PUT ${address}/v1/${made.project}/hello/items -H 'X-API-Key: ${made.key}'` +
      ` -H 'Content-Type: application/json' -d '{"items":[{"key":"first","text":"Hello"}]}'\n`,
  );
}

function url(host: string, service: Service): string {
  return `${service.secure ? 'https' : 'http'}://${bracketed(host)}:${service.port}`;
}

/** A name that the certificate carries: the operator's first, else the one of this machine. */
function nameOf(settings: Settings): string {
  const own = settings.hostnames[0];
  if (own !== undefined && !own.startsWith('*')) return own;
  const isLocal = settings.host === '127.0.0.1' || settings.host === '::1';
  return isLocal || anyAddress.includes(settings.host) ? 'localhost' : settings.host;
}

/** An address that means "all of them" is not one to call. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
