import { RefusedRequest, statusOf } from '../../api/errors.js';
import { visible } from '../../ui/visible.js';
import { maxOperations, type Refused, transact } from '../base-api.js';

/** What is done with one item, all or nothing. */
export interface ItemWork {
  readonly key: string;
  /** The operations as JSON texts: docs/http.md#transactions */
  readonly operations: readonly string[];
}

interface Outcome<Work> {
  readonly done: readonly Work[];
  readonly refused: readonly Refused[];
}

interface Options {
  /** Ends the work before the next transaction: each is done whole or not at all. */
  readonly signal?: AbortSignal | undefined;
  onDone?(count: number): void;
}

/** Characters of the operations of a transaction: far below the limit of a body. */
const maxCharacters = 4_000_000;

/**
 * Does the work of items in as few transactions as possible. If one is refused, its items are done one by one, so that
 * only those are left out which the service does not want. Rejects with any other failure; what is done stays.
 */
export async function inTransactions<Work extends ItemWork>(
  base: string,
  all: readonly Work[],
  { signal, onDone }: Options = {},
): Promise<Outcome<Work>> {
  const isStopped = () => signal?.aborted === true;
  const done: Work[] = [];
  const refused: Refused[] = [];
  for (const group of inGroups(all)) {
    if (isStopped()) break;
    const problem = await tryToDo(base, group);
    if (problem === undefined) done.push(...group);
    else if (group.length === 1) refused.push(...problem);
    else {
      for (const one of group) {
        if (isStopped()) break;
        const own = await tryToDo(base, [one]);
        if (own === undefined) done.push(one);
        else refused.push(...own);
      }
    }
    onDone?.(done.length + refused.length);
  }
  return { done, refused };
}

const placeOfOperation = /^operations\[(\d+)\]: (?:update\.(?:set\.)?|put\.|item\.)?/;

/** The refusal of a transaction in the words of the user: with the key of the item in place of the operation's number. */
export function namingItems(group: readonly ItemWork[], { status, errors }: RefusedRequest): RefusedRequest {
  const keys = group.flatMap(({ key, operations }) => operations.map(() => key));
  return new RefusedRequest(
    status,
    errors.map((error) =>
      error.replace(placeOfOperation, (place, at: string) => {
        const key = keys[Number(at)];
        return key === undefined ? place : `${visible(key)}: `;
      }),
    ),
  );
}

/** Gives undefined, or why the service refused. */
async function tryToDo(base: string, group: readonly ItemWork[]): Promise<readonly Refused[] | undefined> {
  try {
    await transact(base, group);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof RefusedRequest) || ![400, 404, 409, 412, 413].includes(statusOf(cause)))
      throw cause;
    const errors = cause.errors.map((error) => error.replace(/^operations\[\d+\]: /, ''));
    return group.map(({ key }) => ({ key, errors }));
  }
}

/** Groups that fit into a transaction. */
export function* inGroups<Work extends ItemWork>(all: readonly Work[]): Generator<Work[]> {
  let group: Work[] = [];
  let count = 0;
  let characters = 0;
  for (const one of all) {
    const length = one.operations.reduce((sum, text) => sum + text.length, 0);
    const isFull = count + one.operations.length > maxOperations || characters + length > maxCharacters;
    if (isFull && group.length > 0) {
      yield group;
      group = [];
      count = 0;
      characters = 0;
    }
    group.push(one);
    count += one.operations.length;
    characters += length;
  }
  if (group.length > 0) yield group;
}
