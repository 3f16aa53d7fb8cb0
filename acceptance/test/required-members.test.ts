import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshBase } from '../src/names.js';
import { expectErrors } from './support/expect.js';
import { useService } from './support/service.js';

/** The members that a body must have, by the operation below the project. */
const required: readonly (readonly [method: string, path: string, member: string, rest?: object])[] = [
  ['PUT', '/items', 'items'],
  ['POST', '/items', 'item'],
  ['POST', '/transactions', 'operations'],
  ['POST', '/query/aggregate', 'aggregates'],
  ['PUT', '/indexes/by-name', 'fields'],
  ['POST', '/files/move', 'files'],
  ['POST', '/files/copy', 'files'],
  ['DELETE', '/files', 'names'],
  ['POST', '/trash/restore', 'files'],
  ['DELETE', '/trash', 'ids'],
  ['PUT', '/public', 'prefixes'],
  ['POST', '/links', 'expires_in', { name: 'a', method: 'GET' }],
  ['POST', '/links', 'method', { name: 'a', expires_in: 1 }],
  ['POST', '/links', 'name', { method: 'GET', expires_in: 1 }],
];

describe('members that must be there', { concurrency: true }, () => {
  const service = useService();

  for (const [method, path, member, rest = {}] of required) {
    test(`${method} ${path} names ${member}, and tells one that is missing from one of a wrong type`, async () => {
      const target = freshBase(service.api).root + path;
      for (const [json, code] of [
        [rest, 'required'],
        [{ ...rest, [member]: true }, 'wrong_type'],
      ] as const) {
        const reply = await service.api.send(method, target, { json });
        expectErrors(reply, 400, new RegExp(`^${member}: `));
        const { codes } = reply.json<{ codes: readonly object[] }>();
        assert.deepEqual(codes, [{ code, path: member }]);
      }
    });
  }
});
