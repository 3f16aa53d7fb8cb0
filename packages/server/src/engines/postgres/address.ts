/** One of the hosts that an address names. */
export interface Host {
  /** For messages: `db1:5432`. */
  readonly name: string;
  /** The address with this host alone. */
  readonly url: string;
}

const defaultPort = '5432';
/** What PostgreSQL's own programs accept, and a server of Basedrive can use: it has to write. */
const sessionAttributes = ['any', 'read-write', 'primary'];

/**
 * The address of several hosts as a URL: one may have a single port, so those of `h1:5432,h2:5433` become a parameter.
 * An address of one host stays as it is.
 */
export function toUrl(address: string): string {
  const [, start = '', list = '', rest = ''] =
    /^([a-z]+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/is.exec(address) ?? [];
  const hosts = list.split(',').map((host) => /^([^[\]:]*)(?::(\d*))?$/.exec(host));
  // With a single host, or brackets, it is a URL already, or none.
  if (hosts.length === 1 || hosts.some((host) => host === null)) return address;
  const names = hosts.map((host) => host?.[1] ?? '');
  const ports = hosts.map((host) => host?.[2] ?? '');
  const url = start + names.join(',') + rest;
  if (!ports.some(Boolean) || !URL.canParse(url)) return url;
  const complete = new URL(url);
  complete.searchParams.set('port', ports.join(','));
  return complete.href;
}

/** What is wrong with the hosts of an address, or undefined. */
export function hostsProblem(url: URL): string | undefined {
  if (!sessionAttributes.includes(sessionAttribute(url)))
    return `target_session_attrs must be ${sessionAttributes.join(' or ')}, because a server writes`;
  const { hosts, ports } = listsOf(url);
  if (hosts.length > 1 && hosts.includes('')) return 'a host of the list is empty';
  return ports.length > 1 && ports.length !== hosts.length
    ? 'must have one port for all hosts, or one for each'
    : undefined;
}

/** The hosts of an address, in their order. */
export function hostsOf(url: string): readonly Host[] {
  const address = new URL(url);
  const { hosts, ports } = listsOf(address);
  if (hosts.length === 1) return [{ name: address.host || (hosts[0] ?? ''), url }];
  return hosts.map((host, index) => {
    const port = ports[ports.length === 1 ? 0 : index] || defaultPort;
    const alone = new URL(address);
    // The driver prefers these to the list that stays in front of the path.
    alone.searchParams.set('host', host);
    alone.searchParams.set('port', port);
    return { name: `${host}:${port}`, url: alone.href };
  });
}

/** Whether an address asks for a server that takes writes: by its parameter, or by naming several. */
export function asksForPrimary(url: string): boolean {
  const address = new URL(url);
  return listsOf(address).hosts.length > 1 || sessionAttribute(address) !== 'any';
}

function sessionAttribute({ searchParams }: URL): string {
  return searchParams.get('target_session_attrs') ?? 'any';
}

function listsOf({ hostname, port, searchParams }: URL) {
  const list = (parameter: string, own: string) => (searchParams.get(parameter) || own).split(',');
  return { hosts: list('host', hostname), ports: list('port', port) };
}
