import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  readCountBody,
  readDeleteBody,
  readUpdateByQueryBody,
} from '../../src/base/by-query/by-query-body.js';
import { readInsertBody, readPutBody } from '../../src/base/items/item-body.js';
import { readIndexBody } from '../../src/base/operations/indexes.js';
import { readQueryBody } from '../../src/base/query/query-body.js';
import { readTransactionBody } from '../../src/base/transactions/transaction-body.js';
import { readUpdateBody } from '../../src/base/updates/update-body.js';
import { readDeleteBody as readDeleteFiles } from '../../src/drive/files/delete-body.js';
import { nameProblem } from '../../src/drive/files/name.js';
import { readMoveBody } from '../../src/drive/transfers/transfer-body.js';
import { readNewKey } from '../../src/keys/new-key.js';
import { runAtOnce, type Steps } from '../../src/lib/concurrency/time-slices.js';
import { RequestError } from '../../src/request-error.js';
import { readLinksBody } from '../../src/sharing/links-body.js';
import { readPublicPrefixes } from '../../src/sharing/operations/public-prefixes.js';

/**
 * Each body breaks a rule, and ends there without being JSON: so the message of the rule shows that what follows was not
 * read.
 */
type Read = (body: Buffer) => Steps<unknown>;

const readMove: Read = (body) => readMoveBody(body, nameProblem);
const readDelete: Read = (body) => readDeleteFiles(body, nameProblem);
const readPut: Read = (body) => readPutBody(body, 25, 0);
const readUpdate: Read = (body) => readUpdateBody(body, 0, 'k');
const readSetUpdate: Read = (body) => readUpdateByQueryBody(body, 0);
const readTransaction: Read = (body) => readTransactionBody(body, 0);
const readInsert: Read = (body) => readInsertBody(body, 0);
const list = (start: string, count: number, element: string) => `{"${start}":[${`${element},`.repeat(count)}`;
const members = (start: string, count: number) =>
  `{"${start}":{${Array.from({ length: count }, (_, n) => `"a${n}":1,`).join('')}"b`;

const refusals: readonly [name: string, read: Read, begin: string, message: RegExp][] = [
  ['Query Items', readQueryBody, `${list('query', 1000, '{}')}{`, /^Bad query; query: has more than 1000/],
  ['Query Items', readQueryBody, `${members('query', 1000)}":`, /^Bad query; query: has more than 1000/],
  [
    'Query Items',
    readQueryBody,
    `${list('query', 999, '{"a":1,"b":1}')}`,
    /^Bad query; query: has more than 1000/,
  ],
  ['Query Items', readQueryBody, `${list('select', 1000, '"a"')}"`, /^select: has more than 1000 paths$/],
  ['Query Items', readQueryBody, `${list('order', 10, '"a"')}"`, /^order: has more than 10 paths$/],
  ['Query Items', readQueryBody, '{"limit":[1', /^limit: must be a whole number/],
  ['Query Items', readQueryBody, '{"last":{"a":', /^last: must be a key, or /],
  ['Query Items', readQueryBody, '{"sort":[1', /^sort: must be asc or desc$/],
  ['Query Items', readQueryBody, '{"offset":[1', /^offset: must be a whole number/],
  ['Query Items', readQueryBody, '{"count":[1', /^count: must be true or false$/],
  ['Count Items', readCountBody, `${list('query', 1000, '{}')}{`, /^Bad query; query: has more than 1000/],
  ['Delete By Query', readDeleteBody, `${members('query', 1000)}":`, /^Bad query; query: has more than 1000/],
  ['Delete By Query', readDeleteBody, '{"all":[1', /^all: must be true or false$/],
  ['Delete By Query', readDeleteBody, '{"limit":[1', /^limit: must be a whole number/],
  ['Update By Query', readSetUpdate, '{"dry_run":[1', /^dry_run: must be true or false$/],
  ['Update By Query', readSetUpdate, `${members('set', 10_000)}":`, /^set: an update may have 10000 paths/],
  ['Update Item', readUpdate, `${list('delete', 10_000, '"a"')}"`, /^delete: an update may have 10000 paths/],
  ['Update Item', readUpdate, `${members('increment', 10_000)}":`, /^increment: an update may have 10000/],
  ['Update Item', readUpdate, `${list('if', 1000, '{}')}{`, /^Bad query; if: has more than 1000/],
  ['Transactions', readTransaction, '{"x":', /^x: there is no such member/],
  [
    'Transactions',
    readTransaction,
    `${list('operations', 100, '{"check":{"key":"k","if":null}}')}{`,
    /^operations: must hold 1 to 100/,
  ],
  ['Put Items', readPut, `${list('items', 25, '{ }')}{ },`, /^items: must hold 1 to 25 items, has more$/],
  ['Declare Index', readIndexBody, `${list('fields', 100, '"a"')}"`, /^fields: has more than 100 paths/],
  ['Move Files', readMove, `${list('files', 1, '{}')}`, /^files\[0\]\.from: is required$/],
  ['Move Files', readMove, '{"x":', /^x: is not a member of this request$/],
  ['Move Files', readMove, '{"overwrite":[1', /^overwrite: must be true or false$/],
  [
    'Move Files',
    readMove,
    `{"files":[${Array.from({ length: 1000 }, (_, n) => `{"from":"a${n}","to":"b${n}"},`).join('')}{`,
    /^files: must be a list of 1 to 1000 objects$/,
  ],
  ['Delete Files', readDelete, `${list('names', 1, '{}')}`, /^names: must be a list of 1 to 1000 strings$/],
  [
    'Create Links',
    readLinksBody,
    `${list('names', 1000, '"a"')}"`,
    /^names: must be a list of 1 to 1000 strings$/,
  ],
  ['Create Links', readLinksBody, '{"method":[1', /^method: must be GET or POST$/],
  [
    'Set Public Prefixes',
    readPublicPrefixes,
    `${list('prefixes', 100, '"a/"')}"`,
    /^prefixes: must be a list of 0 to 100/,
  ],
  ['Set Public Prefixes', readPublicPrefixes, '{"x":', /^x: is not a member of this request$/],
  ['Set Public Prefixes', readPublicPrefixes, '{"max_age":[1', /^max_age: must be whole seconds/],
  ['Create Key', readNewKey, `${list('bases', 100, '"a"')}"`, /^bases: must be a list of 1 to 100 names$/],
  [
    'Create Key',
    readNewKey,
    `${list('origins', 20, '"a"')}"`,
    /^origins: must be a list of 1 to 20 origins$/,
  ],
  ['Create Key', readNewKey, '{"x":', /^x: is not a member of this request$/],
  ['Create Key', readNewKey, '{"prefix":{"a":', /^prefix: must be a text of 1 to 1024 bytes/],
];

describe('a body is refused as soon as it breaks a rule', () => {
  for (const [name, read, begin, message] of refusals) {
    test(`${name}: ${begin.slice(0, 30)}`, () => {
      const isExpected = (cause: unknown) =>
        cause instanceof RequestError && cause.status === 400 && message.test(cause.message);
      assert.throws(() => runAtOnce(read(Buffer.from(begin))), isExpected);
      assert.throws(() => runAtOnce(read(Buffer.from(`${begin} and so on`))), isExpected);
    });
  }

  test('what has as much as it may have is read', () => {
    const full = [
      [readQueryBody, `{"query":[${Array(1000).fill('{"a":1}')}],"select":[${Array(1000).fill('"a"')}]}`],
      [readQueryBody, `{"query":{"limit":[[1,2,3]]},"other":[[${Array(2000).fill('{"a":1}')}]]}`],
      [readCountBody, `{"limit":[1,2],"set":[${Array(11_000).fill('1')}]}`],
      [readInsert, `{"item":{ "limit":[1,2,3] }}`],
    ] as const;
    for (const [read, body] of full) runAtOnce<unknown>(read(Buffer.from(body)));
  });
});
