import { S3Error } from '../errors.js';

/** What the policy of a form demands of its fields and its file. */
export interface Policy {
  readonly expiresMs: number;
  readonly conditions: readonly Condition[];
  readonly minBytes: number;
  readonly maxBytes: number;
}

interface Condition {
  readonly kind: 'eq' | 'starts-with';
  /** Of the field, in lower case. */
  readonly name: string;
  readonly value: string;
}

const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;
/**
 * The fields that a form may have though its policy does not speak of them. A checksum says nothing but what the bytes
 * are.
 */
const free = /^(?:file|policy|signature|awsaccesskeyid|x-amz-signature|x-ignore-.*|x-amz-checksum-.*)$/;

/** Reads a policy: JSON in base64. Throws `InvalidPolicyDocument`. */
export function readPolicy(base64: string): Policy {
  const document = parse(Buffer.from(base64, 'base64').toString());
  const { expiration, conditions } = document;
  if (expiration === undefined) throw invalid('Policy missing expiration.');
  const expiresMs =
    typeof expiration === 'string' && isTime.test(expiration) ? Date.parse(expiration) : Number.NaN;
  if (Number.isNaN(expiresMs)) throw invalid(`Invalid 'expiration' value: '${String(expiration)}'`);
  if (conditions === undefined) throw invalid('Policy missing conditions.');
  if (!Array.isArray(conditions)) throw invalid("Invalid 'conditions' value: must be a List.");
  const read: Condition[] = [];
  let [minBytes, maxBytes] = [0, Number.POSITIVE_INFINITY];
  for (const condition of conditions) {
    const range = rangeOf(condition);
    if (range === undefined) read.push(conditionOf(condition));
    else {
      minBytes = Math.max(minBytes, range.min);
      maxBytes = Math.min(maxBytes, range.max);
    }
  }
  return { expiresMs, conditions: read, minBytes, maxBytes };
}

/** Throws `AccessDenied` if the policy has expired, or the fields of a form are not as it demands. */
export function requirePolicy(policy: Policy, fields: ReadonlyMap<string, string>, nowMs: number): void {
  if (policy.expiresMs <= nowMs) throw denied('Policy expired.');
  for (const condition of policy.conditions) {
    if (!isMet(condition, fields.get(condition.name)))
      throw denied(`Policy Condition failed: ${show(condition)}`);
  }
  const named = new Set(policy.conditions.map(({ name }) => name));
  const extra = [...fields.keys()].filter((name) => !named.has(name) && !free.test(name));
  if (extra.length > 0) throw denied(`Extra input fields: ${extra.join(', ')}`);
}

function isMet({ kind, name, value }: Condition, given: string | undefined): boolean {
  if (given === undefined) return false;
  if (kind === 'eq') return given === value;
  const texts = name === 'content-type' ? given.split(',').map((type) => type.trimStart()) : [given];
  return texts.every((text) => text.startsWith(value));
}

function parse(text: string): { readonly expiration?: unknown; readonly conditions?: unknown } {
  // A policy may have `\$`, which JSON has not.
  const json = text.replace(/\\./gs, (sequence) => (sequence === '\\$' ? '$' : sequence));
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw invalid('Invalid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('Invalid JSON.');
  return value;
}

function rangeOf(condition: unknown): { readonly min: number; readonly max: number } | undefined {
  if (!Array.isArray(condition) || lower(condition[0]) !== 'content-length-range') return undefined;
  const [min, max] = condition.slice(1).map(sizeOf);
  if (condition.length !== 3 || min === undefined || max === undefined) {
    throw invalid('Invalid content-length-range: it has two sizes in bytes.');
  }
  return { min, max };
}

function sizeOf(value: unknown): number | undefined {
  return /^\d{1,15}$/.test(String(value)) ? Number(value) : undefined;
}

/** `{"name": "value"}`, `["eq", "$name", "value"]`, or `["starts-with", "$name", "value"]`. */
function conditionOf(condition: unknown): Condition {
  if (Array.isArray(condition)) {
    const [kind, name, value] = condition;
    const operator = lower(kind);
    const isKnown = operator === 'eq' || operator === 'starts-with';
    if (!isKnown || condition.length !== 3 || typeof value !== 'string' || !/^\$./s.test(String(name))) {
      throw invalid(`Invalid Condition: ${JSON.stringify(condition)}`);
    }
    return { kind: operator, name: lower(name).slice(1), value };
  }
  const members = typeof condition === 'object' && condition !== null ? Object.entries(condition) : [];
  const [[name, value] = []] = members;
  if (members.length !== 1 || name === undefined || typeof value !== 'string') {
    throw invalid('Invalid Simple-Condition: Simple-Conditions must have exactly one property specified.');
  }
  return { kind: 'eq', name: name.toLowerCase(), value };
}

function lower(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

function show({ kind, name, value }: Condition): string {
  return JSON.stringify([kind, `$${name}`, value]);
}

function invalid(why: string): S3Error {
  return new S3Error('InvalidPolicyDocument', `Invalid Policy: ${why}`);
}

function denied(why: string): S3Error {
  return new S3Error('AccessDenied', `Invalid according to Policy: ${why}`);
}
