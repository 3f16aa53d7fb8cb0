import assert from 'node:assert/strict';
import type { Reply } from '../../src/api.js';

export function expectStatus(reply: Reply, status: number): void {
  assert.equal(reply.status, status, reply.text.slice(0, 500));
}

/** A JSON answer of exactly this value. */
export function expectJson(reply: Reply, status: number, value: unknown): void {
  expectStatus(reply, status);
  assert.match(String(reply.headers['content-type']), /^application\/json\b/);
  assert.deepEqual(reply.json(), value);
}

/**
 * `{"errors":["…", …]}` as JSON, "each message naming the field and the rule broken": one of them has to match.
 */
export function expectErrors(reply: Reply, status: number, message: RegExp = /./): string[] {
  expectStatus(reply, status);
  assert.match(String(reply.headers['content-type']), /^application\/json\b/);
  const body = reply.json<{ errors: string[] }>();
  assert.deepEqual(Object.keys(body), ['errors']);
  assert.ok(Array.isArray(body.errors) && body.errors.length > 0, reply.text);
  for (const text of body.errors) assert.equal(typeof text, 'string');
  assert.ok(
    body.errors.some((text) => message.test(text)),
    `no message of ${reply.text.slice(0, 500)} matches ${message}`,
  );
  assertSaysNothingOfTheInside(reply.text);
  return body.errors;
}

/** "`Bad query`, a second message says what is wrong" */
export function expectBadQuery(reply: Reply): void {
  const errors = expectErrors(reply, 400);
  assert.equal(errors[0], 'Bad query');
  assert.ok((errors[1] ?? '').length > 0, 'a second message says what is wrong');
}

/** "413 of the file API (text/html)" */
export function expectTooLargePage(reply: Reply): void {
  expectStatus(reply, 413);
  assert.match(String(reply.headers['content-type']), /^text\/html\b/);
  assert.equal(reply.text, '<h1>413 - Request Entity Too Large</h1>');
}

/** "Never a stack trace, a path or a key on the wire" */
function assertSaysNothingOfTheInside(text: string): void {
  assert.doesNotMatch(text, /\bat \S+ \(|node:internal|\.[jt]s:\d+|s3cret/);
}
