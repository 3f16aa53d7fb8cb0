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
  oneOf,
  open,
  optional,
  orNull,
  record,
  string,
  text,
  truth,
} from '../json/schema.js';
import { maxClaimed, maxConditions, maxOrderPaths, maxTransactionOperations } from './limits.js';

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

/** As it was before an update, or as it is after. */
export const returnedItems = oneOf('new', 'old');
/** What was there before a put, an insert or a delete. */
export const replacedItem = oneOf('old');

/** Which item an update gives back, and what a delete and a put replace (docs/http.md#returned-items). */
const returnsItem = orNull(
  described(returnedItems, 'The answer has `item` besides: as it is after the update, or as it was before'),
);
const returnsReplaced = orNull(
  described(replacedItem, 'The result is the key and `item`: what was there before, or null'),
);

const upsert = orNull(
  open({}, { description: 'The item that is changed if there is none. Its key is that of the update' }),
);

const condition = orNull(described(ItemQuery, 'It happens only if the item matches'));

export const UpdateItemRequest = named(
  'UpdateItemRequest',
  object(
    { ...updateMembers, if: condition, upsert, return: returnsItem },
    { description: 'The names in the objects are attribute paths, such as `profile.age`' },
  ),
);

export const UpdatedItem = named(
  'UpdateItemResponse',
  object({
    key: itemKey,
    ...updateMembers,
    item: orNull(described(StoredItem, 'With `return`: the item; null if there was none before')),
  }),
);

/** What a put, an insert or a delete has replaced. */
export const ReplacedItem = named('ReplacedItem', object({ key: text, item: nullable(StoredItem) }));

/** What determines the items of an operation by query, and how many of them (docs/http.md#sets). */
export const setOptions = {
  query: orNull(ItemQuery),
  all: orNull(described(truth, 'Must be true if the query matches every item')),
  dry_run: orNull(described(truth, 'Only count what matches')),
  limit: orNull(integer({ minimum: 1, description: 'The maximum number of items to change' })),
};

/** What also determines the items of an operation by query that gives some back (docs/http.md#claims). */
export const claimOptions = {
  order: orNull(
    list(attributePath, {
      maxItems: maxOrderPaths,
      description: 'Change the first of the matches in this order. Absent: by key',
    }),
  ),
};

export const returnsUpdated = orNull(
  described(returnedItems, 'The answer has `items` besides: as they are after the update, or as they were'),
);
export const returnsDeleted = orNull(
  described(replacedItem, 'The answer has `items` besides: the deleted ones'),
);

/** What an operation by query gives back. */
export const returnedList = list(StoredItem, {
  maxItems: maxClaimed,
  description: 'With `return`: the items, in the order in which they were changed',
});

/** With `dry_run`. */
export const Matched = object({ matched: count });

/**
 * The operations of a transaction, by their kinds. Those on a key have no members that are not described: a misspelt `if`
 * is refused (docs/http.md#transactions).
 */
export const transactionOperations = {
  put: NewItem,
  insert: NewItem,
  update: closed({ key: itemKey, if: condition, ...updateMembers, upsert, return: returnsItem }),
  delete: closed({ key: itemKey, if: condition, return: returnsReplaced }),
  check: closed({
    key: itemKey,
    if: described(nullable(ItemQuery), 'With `null`, there must be no item'),
  }),
};

const { put, insert, update, delete: removal, check } = transactionOperations;

const TransactionOperation = named(
  'TransactionRequestOperation',
  anyOf(
    closed({ put, expires_in: expiresIn, return: returnsReplaced }),
    closed({ insert, expires_in: expiresIn, return: returnsReplaced }),
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
