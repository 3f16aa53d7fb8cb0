import type { TrafficBytes } from '../open-connections.js';
import type { CertificatePair } from '../tls/certificate-source.js';

/** The descriptors of a front besides its standard streams, and the channel of Node. */
export const descriptors = { listening: 3, frames: 4 } as const;

/**
 * 48 bytes in hexadecimal digits: with the same keys, each front resumes the sessions of the others. There are new ones with each
 * certificate, so that no session goes on that began under another one.
 */
export type TicketKeys = string;

/** How a front accepts connections. */
export interface AcceptMessage {
  /** With it, over TLS. */
  readonly certificate: CertificatePair | undefined;
  /** The time for a TLS handshake. */
  readonly handshakeMs: number;
  readonly ticketKeys: TicketKeys;
}

/** What the owner tells a front. */
export type ToFront =
  /** Told once. */
  | { readonly accept: AcceptMessage }
  /** Use it for new connections. */
  | { readonly certificate: CertificatePair; readonly ticketKeys: TicketKeys }
  /** Accept no more, and end when nothing is left to send. */
  | { readonly stop: true };

/** What a front tells the owner. */
export type FromFront =
  | { readonly listening: true }
  | { readonly failed: { readonly code: string | undefined; readonly message: string } }
  | { readonly traffic: TrafficBytes }
  | { readonly plainHttp: true };
