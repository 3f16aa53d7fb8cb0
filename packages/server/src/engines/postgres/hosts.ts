import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { asksForPrimary, type Host, hostsOf } from './address.js';

/** The hosts of an address, and the one to connect to. */
export type Hosts = ReturnType<typeof readHosts>;

/** No host of the address takes writes for now. Its cause is the failure of the first one. */
class NoPrimary extends Error {
  override readonly name = 'NoPrimary';
}

export const readOnlyText = 'it takes no writes: it is a standby, or read-only by a setting';

/** The server is a standby, or read-only by a setting. */
export class ReadOnlyServer extends Error {
  override readonly name = 'ReadOnlyServer';
  override readonly message = readOnlyText;
}

const probeTimeoutMs = 5000;
/** A host that does not answer holds the next one up this long. */
const nextProbeMs = 300;
/** After a search that found nothing, the next one begins this much later: a server that is down has callers enough. */
const pauseMs = 200;
/** The value of this column is `on` where nothing can be written. */
export const readOnlyColumn = `current_setting('transaction_read_only', true) AS read_only`;

/** `url`: with one host or several. */
export function readHosts(url: string) {
  const list = hostsOf(url);
  let current = list[0] as Host;
  let isSuspect = false;
  let searching: Promise<Host> | undefined;

  async function search(): Promise<Host> {
    try {
      current = await firstThat(list, probe);
      isSuspect = false;
      return current;
    } catch (cause) {
      // Callers that come in the meantime get this failure, too.
      await setTimeout(pauseMs);
      throw cause;
    } finally {
      searching = undefined;
    }
  }

  return {
    /** Whether only a server that takes writes may be used. */
    needsPrimary: asksForPrimary(url),
    get current(): Host {
      return current;
    },
    get isSuspect(): boolean {
      return isSuspect;
    },
    /** Notes that a connection to this host has failed: `find` decides where the next one goes. */
    suspect(host: Host | undefined): void {
      if (list.length > 1 && host === current) isSuspect = true;
    },
    /**
     * Tries the hosts in their order, and makes the first one that takes writes the current one. Calls at the same time
     * share one search. Rejects with a `NoPrimary` if there is none.
     */
    find(): Promise<Host> {
      searching ??= search();
      return searching;
    },
  };
}

/** Rejects unless the host takes writes. */
async function probe({ url }: Host): Promise<void> {
  const client = new Client({
    connectionString: url,
    application_name: 'basedrive search',
    connectionTimeoutMillis: probeTimeoutMs,
    query_timeout: probeTimeoutMs,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(`SELECT ${readOnlyColumn}`);
    if ((rows[0] as { read_only: string | null }).read_only === 'on') throw new ReadOnlyServer();
  } finally {
    client.end().catch(() => {});
  }
}

/** Tries each host when the one before it has failed, or has not answered for a moment. Gives the first that passes. */
function firstThat(hosts: readonly Host[], passes: (host: Host) => Promise<void>): Promise<Host> {
  return new Promise((resolve, reject) => {
    const failures = new Map<Host, Error>();
    let begun = 0;
    let timer: NodeJS.Timeout | undefined;

    function tryNext(): void {
      clearTimeout(timer);
      const host = hosts[begun++];
      if (host === undefined) return;
      timer = globalThis.setTimeout(tryNext, nextProbeMs);
      passes(host).then(
        () => {
          clearTimeout(timer);
          // No other host is tried any more.
          begun = hosts.length;
          resolve(host);
        },
        (cause: Error) => {
          failures.set(host, cause);
          if (failures.size < hosts.length) tryNext();
          else fail();
        },
      );
    }

    function fail(): void {
      clearTimeout(timer);
      const reasons = hosts.map((host) => {
        const cause = failures.get(host) as Error & { code?: string };
        // The error of a host name with several addresses has no message.
        return `${host.name}: ${cause.message || cause.code || cause.name}`;
      });
      const cause = failures.get(hosts[0] as Host);
      reject(new NoPrimary(`no host takes writes (${reasons.join('; ')})`, { cause }));
    }

    tryNext();
  });
}
