import { isIP } from 'node:net';
import { durationMs } from '../lib/text/duration.js';
import { pathProblem } from '../lib/text/path-problem.js';
import { type ProjectQuota, quotaNames } from '../quotas/ledger.js';

/** Reads a setting's value, which may be given several times. Throws `WrongValue`. */
export type Parse<T> = (given: readonly string[]) => T;

/** The error for a value that a setting cannot have. Its message is the rule. */
export class WrongValue extends Error {
  override readonly name = 'WrongValue';

  constructor(
    readonly value: string,
    rule: string,
  ) {
    super(rule);
  }
}

const yes = ['true', '1', 'yes', 'on'];
const no = ['false', '0', 'no', 'off'];
const dayMs = 86_400_000;
/** The longest time that a timer of Node can wait: about 24 days. */
const maxDurationMs = 2 ** 31 - 1;
const hostName = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

/** A text that is not empty; of several, the last one. */
export function text(given: readonly string[]): string {
  const value = given.at(-1) ?? '';
  if (value.trim() === '') throw new WrongValue(value, 'must not be empty');
  return value;
}

/** An address to listen on. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** An address with its port: `127.0.0.1:9464`, `[::1]:9090`, `localhost:0`. */
export function listenAddress(given: readonly string[]): ListenAddress {
  const value = text(given);
  const [, inBrackets, plain, digits = ''] =
    /^(?:\[([\da-f:.]+)\]|([^:[\]/\s]+)):(\d{1,5})$/i.exec(value) ?? [];
  const host = inBrackets ?? plain;
  if (host === undefined || Number(digits) > 65_535) {
    throw new WrongValue(value, 'must be an address and a port, such as 127.0.0.1:9464');
  }
  return { host, port: Number(digits) };
}

/** A text with a rule of its own. `check` gives what is wrong with it, or undefined. */
export function checked(check: (value: string) => string | undefined): Parse<string> {
  return (given) => right(text(given), check);
}

/** The same of texts that are separated by commas. */
export function checkedList(check: (value: string) => string | undefined): Parse<readonly string[]> {
  return (given) => {
    const values = given.flatMap((value) => value.split(',')).map((value) => value.trim());
    return values.filter((value) => value !== '').map((value) => right(value, check));
  };
}

function right(value: string, check: (value: string) => string | undefined): string {
  const problem = check(value);
  if (problem !== undefined) throw new WrongValue(value, problem);
  return value;
}

/** A domain, in lower case. */
export function domainName(given: readonly string[]): string {
  return right(text(given).toLowerCase(), (value) =>
    value.startsWith('*') || !hostName.test(value) ? 'must be a domain, such as s3.example.com' : undefined,
  );
}

/** The path of a folder or a file. */
export const path: Parse<string> = checked(pathProblem);

export function flag(given: readonly string[]): boolean {
  const value = text(given).toLowerCase();
  if (yes.includes(value)) return true;
  if (no.includes(value)) return false;
  throw new WrongValue(value, 'must be true or false');
}

export function wholeNumber(min: number, max: number, orElse = ''): Parse<number> {
  return (given) => {
    const value = text(given);
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new WrongValue(value, `must be ${orElse}a whole number from ${min} to ${max}`);
  };
}

/** A whole number, or `auto`. */
export function numberOrAuto(min: number, max: number): Parse<number | 'auto'> {
  const number = wholeNumber(min, max, 'auto, or ');
  return (given) => (text(given) === 'auto' ? 'auto' : number(given));
}

export function oneOf<Choice extends string>(...choices: readonly Choice[]): Parse<Choice> {
  return (given) => {
    const value = text(given);
    const choice = choices.find((candidate) => candidate === value);
    if (choice !== undefined) return choice;
    throw new WrongValue(value, `must be one of ${choices.join(', ')}`);
  };
}

/** A time with its unit, in milliseconds: `500ms`, `90s`, `30m`, `24h`, `7d`. Zero needs none. */
export function duration(bounds: { minMs: number; maxMs?: number }): Parse<number> {
  const { minMs, maxMs = maxDurationMs } = bounds;
  return (given) => {
    const value = text(given);
    const ms = value === '0' ? 0 : durationMs(value);
    if (ms === undefined) {
      throw new WrongValue(value, 'must be a time with its unit, such as 500ms, 90s, 30m, 24h or 7d');
    }
    if (ms < minMs) throw new WrongValue(value, `must be at least ${minMs}ms`);
    if (ms > maxMs) throw new WrongValue(value, `must be at most ${Math.floor(maxMs / dayMs)}d`);
    return ms;
  };
}

/** Names and addresses that a certificate can carry. */
export const hostNames: Parse<readonly string[]> = checkedList((name) =>
  isIP(name) === 0 && !(name.length <= 253 && hostName.test(name))
    ? 'must be a host name or an IP address'
    : undefined,
);

/** `*`, or origins as browsers send them: scheme, host and port without a path. */
export function corsOrigins(given: readonly string[]): '*' | readonly string[] {
  const origins = checkedList((origin) =>
    origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)
      ? undefined
      : 'must be * or an origin such as https://app.example.com',
  )(given);
  return origins.includes('*') ? '*' : origins;
}

/** The address of the service for its clients, without a slash at its end: scheme, host, port and path. */
export function publicUrl(given: readonly string[]): string {
  const value = text(given);
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isWeb = url !== undefined && ['http:', 'https:'].includes(url.protocol);
  // The user, the query and the fragment, of which a URL keeps no sign when they are empty.
  if (!isWeb || !/^https?:\/\/[^@?#\\\s]+$/i.test(value)) {
    throw new WrongValue(
      value,
      'must be an address such as https://data.example.com or https://example.com/data',
    );
  }
  return url.href.replace(/\/+$/, '');
}

const quotaMembers = new Map(Object.entries(quotaNames).map(([member, name]) => [name as string, member]));

/** The quota of a project: `items=1000,file_bytes=1000000`. */
export function quota(given: readonly string[]): ProjectQuota {
  const limits = new Map<string, number>();
  checkedList((limit) => {
    const [, name = '', number = ''] = /^(\w+)=(\d{1,15})$/.exec(limit) ?? [];
    const member = quotaMembers.get(name);
    const isZeroRate = member === 'requestsPerSecond' && Number(number) === 0;
    if (member === undefined || limits.has(member) || isZeroRate)
      return `must be limits such as items=1000,file_bytes=1000000, each of ${[...quotaMembers.keys()].join(', ')} once`;
    limits.set(member, Number(number));
    return undefined;
  })(given);
  return Object.fromEntries(limits);
}

/** Whether a value is the address of a service, `tcp://10.0.0.1:8080`: Kubernetes sets `BASEDRIVE_PORT` to one. */
export function isKubernetesAddress(value: string): boolean {
  return /^(tcp|udp|sctp):\/\//.test(value);
}
