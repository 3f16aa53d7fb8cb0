import type { ItemStore } from '../engines/item-store.js';
import type { KeyRing } from '../keys/key-ring.js';

/** A running service. */
export interface Service {
  /** The port that the service listens on, also if the setting was 0. */
  readonly port: number;
  readonly keys: KeyRing;
  readonly items: ItemStore;
  /** Where its data is stored, for people: the end of a sentence with `in`. */
  readonly places: string;
  /** Warnings for the operator, a sentence each. */
  readonly warnings: readonly string[];
  readonly secure: boolean;
  /** Whether the console is served at `/`. */
  readonly hasConsole: boolean;
  /** The file of the authority that signed the certificate, if the server made it. */
  readonly caFile: string | undefined;
  /** Where Prometheus reads the metrics, if they are served. */
  readonly metricsUrl: string | undefined;
  /** Where traces are sent, if they are made. */
  readonly tracesUrl: string | undefined;
  /** Requests in progress now. */
  requestsInFlight(): number;
  /** Finishes the requests in progress, within the grace, and closes everything that was opened. */
  stop(signal: string): Promise<void>;
}

/** The base URL of the service at this host. */
export function serviceUrl(host: string, service: Pick<Service, 'port' | 'secure'>): string {
  return `${service.secure ? 'https' : 'http'}://${bracketed(host)}:${service.port}`;
}

/** A host as a URL has it: an IPv6 address in brackets. */
export function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
