import { type Parameters, parseShortBody, readFollowed, readText } from './follow-parameters.js';
import { readPosition } from './position.js';

/** What a ticket allows: to follow these changes of a project (docs/http.md#create-ticket). */
export interface Ticket {
  readonly method: 'CHANGES';
  readonly project: string;
  /** The parameters of List Changes. */
  readonly parameters: Parameters;
  /** Whole seconds since 1970 UTC: from then on nobody can begin to follow with it. */
  readonly expiresAtSeconds: number;
}

/** It becomes a part of an address, which may have some 12 KiB. */
export const maxTicketBytes = 4096;
export const ticketSeconds = 300;
export const ticketsRoot = '/changes';

/** Reads the body of Create Ticket as the parameters of List Changes. Throws a 400 `RequestError`. */
export function readTicketBody(body: Buffer): Parameters {
  const parameters = readFollowed(parseShortBody(body, maxTicketBytes), { since: readText });
  if (parameters.since !== undefined && parameters.since !== '0') readPosition(parameters.since, 'since');
  return parameters;
}
