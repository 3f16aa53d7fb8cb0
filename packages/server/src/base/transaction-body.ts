import { readExpiresIn } from '../http/expires-in.js';
import type { Outline } from '../json/outline.js';
import type { ElementReader } from '../json/parse.js';
import { JsonNumber, type JsonObject, type JsonValue } from '../json/value.js';
import type { Steps } from '../lib/time-slices.js';
import { badRequest, RequestError } from '../request-error.js';
import { shownPath } from './attribute-path.js';
import { expiring, ItemError, readBody, readItem } from './item.js';
import { keyProblem } from './key.js';
import { maxConditions, maxTransactionOperations, maxValues } from './limits.js';
import { readItemCondition } from './query/item-condition.js';
import { transactionOperations } from './schemas.js';
import { conditionsOf, type TransactionOperation } from './transaction-operation.js';
import { readUpdate, type UpdateSource } from './update-body.js';

type Kind = TransactionOperation['kind'];

const kinds = Object.keys(transactionOperations) as Kind[];
const kindList = kinds.join(', ');
/** The members of an operation. */
const members: readonly string[] = [...kinds, 'expires_in'];
const valuesPerStep = 1024;

/** The error of one operation. Each message begins with the place of the operation (docs/http.md#transactions). */
export function atOperation(index: number, { status, messages, headers }: RequestError): RequestError {
  return new RequestError(
    status,
    messages.map((message) => `operations[${index}]: ${message}`),
    headers,
  );
}

const outline: Outline = {
  members: new Map([['operations', { most: maxTransactionOperations, problem: tooManyOperations }]]),
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
  const value = yield* readBody(body, { elements: reader, outline }, placeOf);
  if (!(value instanceof Map)) throw badRequest('body: must be a JSON object');
  if (!Array.isArray(value.get('operations'))) throw badRequest('operations: must be a list of operations');
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
      if (cause instanceof RequestError) throw atOperation(index, cause);
      if (cause instanceof ItemError) throw atOperation(index, badRequest(cause.message));
      throw cause;
    }
  }

  finish(): readonly TransactionOperation[] {
    if (this.operations.length > 0) return this.operations;
    throw badRequest(`operations: must hold 1 to ${maxTransactionOperations} operations, has 0`);
  }

  private *read(value: JsonValue): Steps<TransactionOperation> {
    if (!(value instanceof Map)) throw badRequest('must be an object');
    refuseOthers(value, members, '');
    const given = kinds.filter((kind) => (value.get(kind) ?? null) !== null);
    const [kind] = given;
    if (kind === undefined) throw badRequest(`must have one of ${kindList}`);
    if (given.length > 1) throw badRequest(`must have only one of ${kindList}, has ${given.join(' and ')}`);
    const content = value.get(kind) as JsonValue;
    if (kind === 'put' || kind === 'insert') {
      const read = yield* readItem(content, kind, this.bodyBytes);
      const expiresIn = readExpiresIn(value.get('expires_in') ?? undefined);
      const item = expiresIn === undefined ? read : expiring(read, this.nowSeconds + expiresIn, kind);
      return { kind, key: item.key, item };
    }
    if (value.has('expires_in'))
      throw badRequest(`expires_in: belongs to put and insert here, not to ${kind}`);
    if (!(content instanceof Map)) throw badRequest(`${kind}: must be an object`);
    refuseOthers(content, Object.keys(transactionOperations[kind].properties), `${kind}.`);
    const bodyBytes = yield* this.measure(content, kind);
    const operation = yield* readOnKey(kind, content, {
      bodyBytes,
      place: kind,
      nowSeconds: this.nowSeconds,
    });
    this.conditions += conditionsOf(operation);
    if (this.conditions > maxConditions) {
      throw badRequest(`${kind}.if: the operations have more than ${maxConditions} conditions together`);
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
        throw badRequest(
          `${kind}: the updates, deletes and checks have more than ${maxValues} JSON values together`,
        );
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
  const key = content.get('key');
  if (typeof key !== 'string') throw badRequest(`${kind}.key: must be a string`);
  const problem = keyProblem(key);
  if (problem !== undefined) throw badRequest(`${kind}.key: ${problem}`);
  if (kind === 'update') return { kind, key, update: yield* readUpdate(content, source) };
  if (kind === 'check' && !content.has('if')) {
    throw badRequest('check.if: is missing; it must be a query, or null if there must be no item');
  }
  return { kind, key, condition: yield* readItemCondition(content.get('if') ?? null) };
}

/**
 * Throws a `RequestError` for unknown members. If a misspelt `if` were ignored, the operation would run without its
 * condition.
 */
function refuseOthers(object: JsonObject, members: readonly string[], place: string): void {
  for (const name of object.keys()) {
    if (members.includes(name)) continue;
    throw noSuchMember(name, members, place);
  }
}

function noSuchMember(name: string, members: readonly string[], place: string): Error {
  return badRequest(`${place}${shownPath(name)}: there is no such member, only ${members.join(', ')}`);
}

function tooManyOperations(): Error {
  return badRequest(`operations: must hold 1 to ${maxTransactionOperations} operations, has more`);
}

/**
 * Gives a message about a value within an operation the form of all messages: it begins with the place of the
 * operation.
 */
function placeOf(message: string): string {
  const [, place, rest] = /^(operations\[\d+\])\.?(.*)$/s.exec(message) ?? [];
  return place === undefined ? `body: ${message}` : `${place}: ${rest}`;
}
