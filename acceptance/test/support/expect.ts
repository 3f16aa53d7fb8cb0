import assert from 'node:assert/strict';
import type { Reply } from '../../src/api.js';

export function expectStatus(reply: Reply, status: number): void {
  assert.equal(reply.status, status, reply.text.slice(0, 500));
}

/** Checks that the answer is JSON of exactly this value. */
export function expectJson(reply: Reply, status: number, value: unknown): void {
  expectStatus(reply, status);
  assert.match(String(reply.headers['content-type']), /^application\/json\b/);
  assert.deepEqual(reply.json(), value);
}

/** Checks that the answer is `{"errors":["…", …],"codes":[…]}` (docs/http.md#errors), and that one of the messages matches. */
export function expectErrors(reply: Reply, status: number, message: RegExp = /./): string[] {
  expectStatus(reply, status);
  assert.match(String(reply.headers['content-type']), /^application\/json\b/);
  const body = reply.json<{ errors: string[] }>();
  assert.deepEqual(Object.keys(body), ['errors', 'codes']);
  assert.ok(Array.isArray(body.errors) && body.errors.length > 0, reply.text);
  for (const text of body.errors) assert.equal(typeof text, 'string');
  assert.ok(
    body.errors.some((text) => message.test(text)),
    `no message of ${reply.text.slice(0, 500)} matches ${message}`,
  );
  assertNoInternals(reply.text);
  return body.errors;
}

/** Checks the answer to a bad query (docs/http.md#query-items): `Bad query`, and a message that says what is wrong. */
export function expectBadQuery(reply: Reply): void {
  const errors = expectErrors(reply, 400);
  assert.equal(errors[0], 'Bad query');
  assert.ok((errors[1] ?? '').length > 0, 'a second message says what is wrong');
}

/** Checks a 413 of the file API, which is a page (docs/http.md#put-file). */
export function expectTooLargePage(reply: Reply): void {
  expectStatus(reply, 413);
  assert.match(String(reply.headers['content-type']), /^text\/html\b/);
  assert.equal(reply.text, '<h1>413 - Request Entity Too Large</h1>');
}

/** An error message reveals no stack trace, no path of a file and no key. */
function assertNoInternals(text: string): void {
  assert.doesNotMatch(text, /\bat \S+ \(|node:internal|\.[jt]s:\d+|s3cret/);
}
