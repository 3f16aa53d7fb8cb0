import type { Settings } from '../config/settings.js';
import type { Service } from './start.js';

type Print = (line: string) => void;

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

/** A key is shown this once; the line beneath it works when pasted. */
export function announceFirstKey(
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
