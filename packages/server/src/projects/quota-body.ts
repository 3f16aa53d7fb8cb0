import { objectOf, parseBody, refuseOthers, wholeOf } from '../http/requests/bodies/members.js';
import type { JsonRules } from '../json/parse.js';
import { closed, described, integer, named, number, optional } from '../json/schema.js';
import { JsonNumber, type JsonObject } from '../json/value.js';
import type { Steps } from '../lib/concurrency/time-slices.js';
import { type ProjectQuota, quotaNames } from '../quotas/ledger.js';
import { badField } from '../request-error.js';

export const maxQuotaBodyBytes = 4096;
const bodyRules: JsonRules = {
  maxDepth: 10,
  maxValues: 100,
  maxStringCharacters: maxQuotaBodyBytes,
  numbers: 'short',
};
const amount = integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const minRate = 0.01;
const maxRate = 1_000_000;

export const QuotaMembers = {
  items: optional(amount),
  item_bytes: optional(described(amount, 'Of the stored JSON of all items')),
  files: optional(described(amount, 'With a name: those in the trash do not count')),
  file_bytes: optional(described(amount, 'Of files, those in the trash, and the parts of open uploads')),
  requests_per_second: optional(
    number({ minimum: minRate, maximum: maxRate, description: 'Over all keys of the project' }),
  ),
};

export const QuotaRequest = named(
  'QuotaRequest',
  closed(QuotaMembers, { description: 'What is absent is not limited' }),
);

/** Reads a quota. Throws the 400 `RequestError` that names the member that breaks a rule. */
export function* readQuota(body: Buffer): Steps<ProjectQuota> {
  const value = objectOf(yield* parseBody(body, bodyRules));
  refuseOthers(value, QuotaRequest);
  return {
    items: amountOf(value, 'items'),
    itemBytes: amountOf(value, 'item_bytes'),
    files: amountOf(value, 'files'),
    fileBytes: amountOf(value, 'file_bytes'),
    requestsPerSecond: rateOf(value, 'requests_per_second'),
  };
}

function amountOf(value: JsonObject, member: string): number | undefined {
  return value.has(member) ? wholeOf(value.get(member), member, amount) : undefined;
}

function rateOf(value: JsonObject, member: string): number | undefined {
  if (!value.has(member)) return undefined;
  const given = value.get(member);
  const rate = given instanceof JsonNumber ? Number(given.text) : Number.NaN;
  if (rate >= minRate && rate <= maxRate) return rate;
  const code = given instanceof JsonNumber ? 'out_of_range' : 'wrong_type';
  throw badField(member, code, `must be a number from ${minRate} to ${maxRate}`);
}

/** A quota as answers have it. */
export function quotaMembersOf(quota: ProjectQuota) {
  const members = Object.entries(quotaNames).map(
    ([member, name]) => [name, quota[member as keyof ProjectQuota]] as const,
  );
  return Object.fromEntries(members.filter(([, most]) => most !== undefined));
}
