import { readExpiresIn } from '../../http/parameters/expires-in.js';
import { objectOf, textOf, typeFault } from '../../http/requests/bodies/members.js';
import type { Outline } from '../../json/outline.js';
import type { ElementReader } from '../../json/parse.js';
import { JsonNumber, type JsonObject, type JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { badField, RequestError, refused } from '../../request-error.js';
import { shownPath } from '../items/attribute-path.js';
import { expiring, readBody, readItem } from '../items/item.js';
import { keyProblem } from '../items/key.js';
import { maxConditions, maxTransactionOperations, maxValues } from '../limits.js';
import { readItemCondition } from '../query/item-condition.js';
import { transactionOperations } from '../schemas.js';
import { readReplaced } from '../updates/returned.js';
import { readUpdate, type UpdateSource } from '../updates/update-body.js';
import { conditionsOf, type TransactionOperation } from './transaction-operation.js';

type Kind = TransactionOperation['kind'];

const kinds = Object.keys(transactionOperations) as Kind[];
const kindList = kinds.join(', ');
/** The members of an operation. */
const members: readonly string[] = [...kinds, 'expires_in', 'return'];
const valuesPerStep = 1024;

/** The error of one operation. Each message begins with the path of the operation (docs/http.md#transactions). */
export function atOperation(index: number, { problems, headers }: RequestError): RequestError {
  const within = `operations[${index}]`;
  const named = problems.map(({ code, path, message }) => ({
    code,
    path: path === undefined ? within : `${within}.${path}`,
    message: `${within}: ${message}`,
  }));
  return new RequestError(named, headers);
}

const ofUpdate = new RegExp(
  `^(?:${Object.keys(transactionOperations.update.properties).join('|')})(?=$|[.[])`,
);

/** The error of an update: here its members are within `update`. Conditions have paths of their own. */
export function withinUpdate(error: RequestError): RequestError {
  const { problems, headers } = error;
  if (problems.some(({ code }) => code === 'bad_query')) return error;
  const named = problems.map((problem) =>
    problem.path === undefined || !ofUpdate.test(problem.path)
      ? problem
      : { ...problem, path: `update.${problem.path}`, message: `update.${problem.message}` },
  );
  return new RequestError(named, headers);
}

const outline: Outline = {
  members: new Map([
    ['operations', { most: maxTransactionOperations, problem: () => wrongCount('too_many', 'more') }],
  ]),
  unknown: (name) => noSuchMember(name, ['operations'], ''),
};

/**
 * Reads the body of a transaction: 1 to 100 operations (docs/http.md#transactions). `expires_in` counts from
 * `nowSeconds`. Throws the 400 `RequestError` of the first operation that breaks a rule.
 */
export function* readTransactionBody(
  body: Buffer,
  nowSeconds: number,
): Steps<readonly TransactionOperation[]> {
  const reader = new OperationReader(body.length, nowSeconds);
  const value = objectOf(yield* readBody(body, { elements: reader, outline }, messageOf));
  const list = value.get('operations');
  if (!Array.isArray(list)) throw badField('operations', typeFault(list), 'must be a list of operations');
  return reader.finish();
}

/** Converts each operation as soon as it is parsed, so that only the stored bytes of items stay in memory. */
class OperationReader implements ElementReader {
  readonly member = 'operations';
  private operations: TransactionOperation[] = [];
  private conditions = 0;
  private values = 0;

  constructor(
    private readonly bodyBytes: number,
    private readonly nowSeconds: number,
  ) {}

  begin(): void {
    this.operations = [];
    this.conditions = 0;
    this.values = 0;
  }

  *take(value: JsonValue): Steps<void> {
    const index = this.operations.length;
    try {
      this.operations.push(yield* this.read(value));
    } catch (cause) {
      throw cause instanceof RequestError ? atOperation(index, cause) : cause;
    }
  }

  finish(): readonly TransactionOperation[] {
    if (this.operations.length > 0) return this.operations;
    throw wrongCount('empty', '0');
  }

  private *read(value: JsonValue): Steps<TransactionOperation> {
    if (!(value instanceof Map)) throw refused('wrong_type', 'must be an object');
    refuseOthers(value, members, '');
    const given = kinds.filter((kind) => (value.get(kind) ?? null) !== null);
    const [kind] = given;
    if (kind === undefined) throw refused('required', `must have one of ${kindList}`);
    if (given.length > 1) {
      const rule = `must have only one of ${kindList}, has ${given.join(' and ')}`;
      throw refused('contradiction', rule);
    }
    const content = value.get(kind) as JsonValue;
    if (kind === 'put' || kind === 'insert') {
      const read = yield* readItem(content, kind, this.bodyBytes);
      const expiresIn = readExpiresIn(value.get('expires_in') ?? undefined);
      const item = expiresIn === undefined ? read : expiring(read, this.nowSeconds + expiresIn, kind);
      const returns = readReplaced(value.get('return') ?? null, 'return');
      return { kind, key: item.key, item, returns };
    }
    if (value.has('expires_in'))
      throw badField('expires_in', 'not_allowed', `belongs to put and insert here, not to ${kind}`);
    if (value.has('return')) {
      const rule = kind === 'check' ? 'a check changes nothing' : `belongs into ${kind} here`;
      throw badField('return', 'not_allowed', rule);
    }
    if (!(content instanceof Map)) throw badField(kind, 'wrong_type', 'must be an object');
    refuseOthers(content, Object.keys(transactionOperations[kind].properties), `${kind}.`);
    const bodyBytes = yield* this.measure(content, kind);
    const { nowSeconds } = this;
    const operation = yield* readOnKey(kind, content, { bodyBytes, path: kind, nowSeconds });
    this.conditions += conditionsOf(operation);
    if (this.conditions > maxConditions) {
      const rule = `the operations have more than ${maxConditions} conditions together`;
      throw badField(`${kind}.if`, 'too_many', rule);
    }
    return operation;
  }

  /**
   * Gives the approximate size of the operation's JSON in bytes. Unlike an item, an operation stays in memory as
   * values, and their number is limited.
   */
  private *measure(container: JsonObject | JsonValue[], kind: Kind): Steps<number> {
    let bytes = 0;
    for (const [name, value] of container.entries()) {
      if (++this.values > maxValues) {
        const rule = `the updates, deletes and checks have more than ${maxValues} JSON values together`;
        throw badField(kind, 'too_many', rule);
      }
      if (this.values % valuesPerStep === 0) yield;
      bytes += String(name).length;
      if (typeof value === 'string') bytes += value.length;
      else if (value instanceof JsonNumber) bytes += value.text.length;
      else if (value !== null && typeof value === 'object') bytes += yield* this.measure(value, kind);
    }
    return bytes;
  }
}

function* readOnKey(
  kind: 'update' | 'delete' | 'check',
  content: JsonObject,
  source: UpdateSource,
): Steps<TransactionOperation> {
  const key = textOf(content.get('key'), `${kind}.key`, keyProblem);
  if (kind === 'update') return { kind, key, update: yield* readWithin(content, { ...source, key }) };
  if (kind === 'check' && !content.has('if')) {
    const rule = 'is missing; it must be a query, or null if there must be no item';
    throw badField('check.if', 'required', rule);
  }
  const condition = yield* readItemCondition(content.get('if') ?? null);
  const returns =
    kind === 'delete' ? readReplaced(content.get('return') ?? null, 'delete.return') : undefined;
  return { kind, key, condition, returns };
}

function* readWithin(content: JsonObject, source: UpdateSource) {
  try {
    return yield* readUpdate(content, source);
  } catch (cause) {
    throw cause instanceof RequestError ? withinUpdate(cause) : cause;
  }
}

/**
 * Throws a `RequestError` for unknown members. If a misspelt `if` were ignored, the operation would run without its
 * condition.
 */
function refuseOthers(object: JsonObject, members: readonly string[], within: string): void {
  for (const name of object.keys()) {
    if (members.includes(name)) continue;
    throw noSuchMember(name, members, within);
  }
}

function noSuchMember(name: string, members: readonly string[], within: string): RequestError {
  const rule = `there is no such member, only ${members.join(', ')}`;
  return badField(within + shownPath(name), 'unknown_member', rule);
}

function wrongCount(code: 'empty' | 'too_many', count: string): RequestError {
  return badField('operations', code, `must hold 1 to ${maxTransactionOperations} operations, has ${count}`);
}

/**
 * Gives a message about a value within an operation the form of all messages: it begins with the path of the
 * operation.
 */
function messageOf(message: string): string {
  const [, operation, rest] = /^(operations\[\d+\])\.?(.*)$/s.exec(message) ?? [];
  return operation === undefined ? `body: ${message}` : `${operation}: ${rest}`;
}
