import { secondsAhead } from '../http/parameters/expires-in.js';
import { count, itemKey, seconds } from '../http/routing/operation.js';
import {
  anyOf,
  anything,
  closed,
  described,
  integer,
  list,
  named,
  nullable,
  number,
  object,
  open,
  optional,
  orNull,
  record,
  string,
  text,
  truth,
} from '../json/schema.js';
import { maxConditions, maxTransactionOperations } from './limits.js';

/** What the bodies of the database API are made of (docs/http.md#database-api). */

const expires = described(seconds, 'Whole seconds since 1970 UTC. From then on the item no longer exists');

export const NewItem = named(
  'NewItem',
  open(
    { key: optional(itemKey), __expires: optional(expires) },
    {
      description:
        'An item to be stored. Without a key, the service generates one of 12 characters of `a-z0-9`',
    },
  ),
);

export const StoredItem = named(
  'StoredItem',
  open(
    { key: itemKey, __expires: optional(expires) },
    { description: 'An item as it is stored and returned' },
  ),
);

export const DeletedItem = named('DeleteItemResponse', object({ key: text }));
export const MissingItem = named('MissingItemResponse', object({ key: text }));

export const attributePath = string({
  minLength: 1,
  description: 'An attribute path: `home.city`, `tags.0`',
});

const QueryConditions = named(
  'QueryConditions',
  record(anything, {
    description: 'Conditions that must all be true: `path` or `path?operator`, and the operand',
    examples: [{ 'age?gte': 37, 'tags?contains': 'math' }],
  }),
);

export const ItemQuery = named(
  'ItemQuery',
  described(
    anyOf(list(QueryConditions, { maxItems: maxConditions }), QueryConditions),
    'In a list, one entry must match. Empty: all items',
  ),
);

/** For how many seconds what is stored now is kept (docs/http.md#expires_in). */
export const expiresIn = orNull(secondsAhead);

/** The changes of an update, by their members (docs/http.md#update-item). */
export const changes = {
  set: orNull(record(anything, { description: 'Path to value' })),
  increment: orNull(record(number())),
  append: orNull(record(list(anything))),
  prepend: orNull(record(list(anything))),
  delete: orNull(list(attributePath)),
};

/** The members that change an item. */
export const updateMembers = { ...changes, expires_in: expiresIn };

const condition = orNull(described(ItemQuery, 'It happens only if the item matches'));

export const UpdateItemRequest = named(
  'UpdateItemRequest',
  object(
    { ...updateMembers, if: condition },
    { description: 'The names in the objects are attribute paths, such as `profile.age`' },
  ),
);

export const UpdatedItem = named('UpdateItemResponse', object({ key: itemKey, ...updateMembers }));

/** What determines the items of an operation by query, and how many of them (docs/http.md#sets). */
export const setOptions = {
  query: orNull(ItemQuery),
  all: orNull(described(truth, 'Must be true if the query matches every item')),
  dry_run: orNull(described(truth, 'Only count what matches')),
  limit: orNull(integer({ minimum: 1, description: 'The maximum number of items to change' })),
};

/** With `dry_run`. */
export const Matched = object({ matched: count });

/**
 * The operations of a transaction, by their kinds. Those on a key have no members that are not described: a misspelt `if`
 * is refused (docs/http.md#transactions).
 */
export const transactionOperations = {
  put: NewItem,
  insert: NewItem,
  update: closed({ key: itemKey, if: condition, ...updateMembers }),
  delete: closed({ key: itemKey, if: condition }),
  check: closed({
    key: itemKey,
    if: described(nullable(ItemQuery), 'With `null`, there must be no item'),
  }),
};

const { put, insert, update, delete: removal, check } = transactionOperations;

const TransactionOperation = named(
  'TransactionRequestOperation',
  anyOf(
    closed({ put, expires_in: expiresIn }),
    closed({ insert, expires_in: expiresIn }),
    closed({ update }),
    closed({ delete: removal }),
    closed({ check }),
  ),
);

export const TransactionRequest = named(
  'TransactionRequest',
  object({
    operations: list(TransactionOperation, {
      minItems: 1,
      maxItems: maxTransactionOperations,
      description: 'All of them happen or none',
    }),
  }),
);
