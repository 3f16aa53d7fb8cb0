import type { RequestTemplate } from '../load/request-template.js';
import { must } from '../load/send.js';
import {
  hotKey,
  type ItemOperations,
  markedCount,
  markedKeys,
  orderProblem,
  type RangeOperations,
} from './contender.js';
import { item, items25 } from './item.js';

function json(method: string, path: string, body: string): RequestTemplate {
  return { method, path, headers: { 'Content-Type': 'application/json' }, body };
}

/** The operations of the handwritten servers in bench/peers, which have the same routes. */
export const handwrittenItems: ItemOperations = {
  get: {
    request: { method: 'GET', path: '/items/{key}' },
    status: 200,
    // PostgreSQL changes the order and the spaces of the JSON.
    includes: ['{key}', 'Ada Lovelace'],
  },
  put: { request: json('PUT', '/items', `[${item()}]`), status: 200, includes: ['"key":"{key}"'] },
  put25: {
    request: json('PUT', '/items', `[${items25().join(',')}]`),
    status: 200,
    includes: ['"key":"{key:24}"'],
  },
  insert: { request: json('POST', '/items', item()), status: 201, includes: ['"key":"{key}"'] },
  increment: {
    request: json('PATCH', `/items/${hotKey}`, '{}'),
    status: 200,
    includes: [`"key":"${hotKey}"`],
  },
  ordered: { request: { method: 'GET', path: '/ordered' }, status: 200, verify: orderProblem },
  counted: {
    request: { method: 'GET', path: `/counted/${markedCount}` },
    status: 200,
    includes: [`{"count":${markedKeys.length}}`],
  },
  transaction: {
    request: json('POST', '/transactions', '[["{key}",-1],["{key:1}",1]]'),
    status: 200,
    includes: ['{"changed":2}'],
  },
};

export const handwrittenBulk = {
  in: { method: 'PUT', path: '/bulk' },
  out: { method: 'GET', path: '/bulk' },
};

export const handwrittenRanges: RangeOperations = {
  makeIndex: async (url) => void (await must(url, { method: 'POST', path: '/number-index' }, 200)),
  ordered: {
    request: { method: 'GET', path: '/range/1{key}' },
    status: 200,
    includes: ['{key}', '{key:9}'],
  },
  counted: (entries) => ({
    request: { method: 'GET', path: `/between/1{key}/1{key:${entries}}` },
    status: 200,
    includes: [`{"count":${entries}}`],
  }),
};

export async function makeHandwrittenIndex(url: string): Promise<void> {
  await must(url, { method: 'POST', path: '/index' }, 200);
}
