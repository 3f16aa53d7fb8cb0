import type { Webhook } from 'basedrive-client';
import { formatFromNow } from '../ui/format.js';
import { visible } from '../ui/visible.js';
import type { ShownWebhook } from './shown-webhook.js';

type Outcome = Pick<NonNullable<Webhook['last']>, 'status' | 'error'>;

const stateNames: Readonly<Record<Webhook['state'], string>> = {
  active: 'Active',
  failing: 'Failing',
  paused: 'Paused',
  gone: 'Stopped: the receiver wants no more',
  too_old: 'Stopped: the changes are no longer kept',
  key_ended: 'Silent: its key has ended',
};

const errorNames: Readonly<Record<NonNullable<Outcome['error']>, string>> = {
  address_refused: 'it has no address in the public internet',
  connection_refused: 'the connection was refused',
  connection_failed: 'the connection failed',
  certificate_invalid: 'the certificate is not valid',
  timeout: 'no answer in time',
};

/** How a webhook is, in a few words: docs/http.md#states-of-a-webhook */
export function stateText({ state }: Webhook): string {
  return stateNames[state];
}

/** Whether somebody has to do something. */
export function isTroubled({ state }: Webhook): boolean {
  return state !== 'active' && state !== 'paused';
}

/** Whether it sends nothing until it is resumed. */
export function isStopped({ state }: Webhook): boolean {
  return state === 'paused' || state === 'gone' || state === 'too_old';
}

/** What became of a message: `status 204`. */
export function outcomeText({ status, error }: Outcome): string {
  return error === undefined ? `status ${status}` : errorNames[error];
}

/** The last message, and when the next one is tried. */
export function lastText({ last, failures, next_attempt }: Webhook): string {
  if (last === undefined) return 'nothing sent yet';
  const when = formatFromNow(last.at);
  const tried = failures === undefined ? '' : `, ${failures} in a row`;
  const next = next_attempt === undefined ? '' : `; again ${formatFromNow(next_attempt)}`;
  return `${outcomeText(last)}, ${when}${tried}${next}`;
}

/** What it sends: `bases orders; names that begin with 2026/`. */
export function followedText({ bases, drives, prefix, queryText, values }: ShownWebhook): string {
  const parts = [
    ...(bases === undefined ? [] : [`bases ${bases.join(', ')}`]),
    ...(drives === undefined ? [] : [`drives ${drives.join(', ')}`]),
    ...(prefix === undefined ? [] : [`names that begin with ${prefix}`]),
    ...(queryText === undefined ? [] : [`items that match ${queryText}`]),
    ...(values === false ? ['no values'] : []),
  ];
  return parts.length === 0 ? 'everything' : visible(parts.join('; '));
}
