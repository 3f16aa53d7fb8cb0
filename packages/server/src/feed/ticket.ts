import { badField, refused } from '../request-error.js';
import { readPosition } from './position.js';
import { readAsked } from './request.js';

/** What a ticket allows: to follow these changes of a project (docs/http.md#create-ticket). */
export interface Ticket {
  readonly method: 'CHANGES';
  readonly project: string;
  /** The parameters of List Changes. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Whole seconds since 1970 UTC: from then on nobody can begin to follow with it. */
  readonly expiresAtSeconds: number;
}

/** It becomes a part of an address, which may have some 12 KiB. */
export const maxTicketBytes = 4096;
export const ticketSeconds = 300;
export const ticketsRoot = '/changes';

type Reader = (value: unknown, name: string) => string;

const members: Readonly<Record<string, Reader>> = {
  since: textOf,
  bases: namesOf,
  drives: namesOf,
  prefix: textOf,
  query: (value) => JSON.stringify(value),
  values: (value, name) => {
    if (typeof value === 'boolean') return String(value);
    throw badField(name, 'wrong_type', 'must be true or false');
  },
};

/** Reads the body of Create Ticket as the parameters of List Changes. Throws a 400 `RequestError`. */
export function readTicketBody(body: Buffer): Readonly<Record<string, string>> {
  const parameters: Record<string, string> = {};
  for (const [name, value] of Object.entries(body.length === 0 ? {} : objectOf(body))) {
    const read = members[name];
    if (read === undefined) throw badField(name, 'unknown_member', 'is not a member of this request');
    if (value !== null) parameters[name] = read(value, name);
  }
  readAsked({ get: (name) => parameters[name] });
  if (parameters.since !== undefined && parameters.since !== '0') readPosition(parameters.since, 'since');
  return parameters;
}

function objectOf(body: Buffer): object {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    throw refused('invalid_json', 'body: must be JSON');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw refused('wrong_type', 'body: must be a JSON object');
}

function textOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw badField(name, 'wrong_type', 'must be a string');
}

function namesOf(value: unknown, name: string): string {
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string' && !one.includes(','));
  if (isList) return value.join(',');
  throw badField(name, 'wrong_type', 'must be a list of names');
}
