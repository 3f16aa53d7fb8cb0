import { whileValid } from '../../access/grant.js';
import { narrowedRange } from '../../access/scope.js';
import { linesAnswered } from '../../http/answers/answer.js';
import { expiresInOf, secondsAhead } from '../../http/parameters/expires-in.js';
import type { Call } from '../../http/requests/call.js';
import { count, inQuery, linesAnswer, linesBody, operation } from '../../http/routing/operation.js';
import { problemMembers } from '../../http/routing/problems.js';
import { described, integer, named, object, optional } from '../../json/schema.js';
import { badField, payloadTooLarge } from '../../request-error.js';
import { type ImportDependencies, importItems as importBody, importBytes } from '../bulk/import.js';
import { expiring, type Item } from '../items/item.js';
import { requireItemWithin } from '../items/item-errors.js';
import { keyProblem } from '../items/key.js';
import { maxBatchItems, maxReadBatchItems } from '../limits.js';
import { NewItem, StoredItem } from '../schemas.js';
import type { BaseService, BaseServices } from '../service.js';

/** Its answer is sent while the items are read. */
export const exportItems = operation({
  method: 'GET',
  path: '/v1/{project}/{base}/items',
  access: 'read',
  names: 'narrowed',
  summary: 'Export items',
  parameters: [
    inQuery('prefix', 'Only items whose keys begin with this'),
    inQuery('last', 'Continue after this key, which need not exist'),
  ],
  answers: { 200: linesAnswer('Every item, one a line', StoredItem) },
  failures: [400],
  handle: (call, { bases }: BaseServices) => {
    const [prefix, last] = [readKeyText(call, 'prefix'), readKeyText(call, 'last')];
    const range = narrowedRange(call.grant, last === '' ? { prefix } : { prefix, gt: last });
    const items = bases.exportItems(call.project, call.name, range);
    return linesAnswered(whileValid(call, items));
  },
});

/** Reads a parameter that is a key or the beginning of one; empty if it is absent. Throws a 400 `RequestError`. */
function readKeyText(call: Call, parameter: string): string {
  const text = call.query.get(parameter) ?? '';
  const problem = text === '' ? undefined : keyProblem(text);
  if (problem !== undefined) throw badField(parameter, problem.code, problem.rule);
  return text;
}

const ImportLine = named(
  'ImportLine',
  object(
    {
      line: optional(integer({ minimum: 1, description: 'Of a refused line: its number' })),
      errors: optional(described(problemMembers.errors, 'Of a refused line')),
      codes: optional(described(problemMembers.codes, 'Of a refused line')),
      stored: optional(described(count, 'In the last line: how many lines were stored')),
      failed: optional(described(count, 'In the last line')),
      unreported: optional(
        described(count, 'In the last line: how many refused lines were only counted, if any'),
      ),
    },
    { description: 'A line of the answer to an import: of a refused line, or at last the numbers' },
  ),
);

const lines = {
  path: '/v1/{project}/{base}/items',
  access: 'write',
  names: 'body',
  section: 'import-items',
  parameters: [inQuery('expires_in', 'NDJSON: for how many seconds the items are kept', secondsAhead)],
  description: 'NDJSON: each line by itself.',
  request: linesBody(NewItem),
  answers: { 200: linesAnswer('A line for each refused one, then one with the numbers', ImportLine) },
} as const;

export const importItems = operation({
  ...lines,
  method: 'PUT',
  summary: 'Import items',
  handle: (call, { bases }: BaseServices) =>
    importAnswer(call, bases, {
      storeBatch: (items) => bases.putBatch(call.project, call.name, items),
      maxBatchItems,
    }),
});

/** An item is stored only if its key does not exist. */
export const importNewItems = operation({
  ...lines,
  method: 'POST',
  summary: 'Import new items',
  handle: (call, { bases }: BaseServices) =>
    importAnswer(call, bases, {
      storeBatch: (items) => bases.insertBatch(call.project, call.name, items),
      maxBatchItems: maxReadBatchItems,
    }),
});

/** The size of the body is not limited: only one batch of its items is in memory at a time. */
const maxBytes = Number.POSITIVE_INFINITY;

/** The answer is sent while the body is read. */
function importAnswer(
  call: Call,
  { nowSeconds }: BaseService,
  storing: Omit<ImportDependencies, 'toStored' | 'run'>,
) {
  const expiresIn = expiresInOf(call);
  const tooLarge = () => payloadTooLarge('body: too large');
  const body = call.stream(maxBytes, tooLarge, { keptBytes: importBytes, isPrompt: true });
  const toStored = (item: Item) => {
    requireItemWithin(call.grant, item);
    return expiresIn === undefined ? item : expiring(item, nowSeconds() + expiresIn, 'item');
  };
  return linesAnswered(importBody(body, { ...storing, toStored, run: (steps) => call.run(steps) }));
}
