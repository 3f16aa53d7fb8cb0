import { type Answer, requestIdOf } from './answers.js';
import { smuggledPrefix } from './request.js';

/** Returns what is wrong with an answer, whatever the request was; undefined if nothing is. */
export function answerProblem(answer: Answer): string | undefined {
  const { status, head, body } = answer;
  if (status >= 500) return `a ${status}: ${body.slice(0, 300)}`;
  if (requestIdOf(answer) === undefined) return `a ${status} without a request id: ${head}`;
  if (body.includes(smuggledPrefix) && body.startsWith('{"key":'))
    return `a hidden request was answered: ${body}`;
  if (status >= 400 && !isErrorBody(answer)) return `a ${status} with this body: ${body.slice(0, 300)}`;
  return undefined;
}

/** Whether the body is that of an error (docs/http.md#errors): errors as JSON, the key of a missing item, or a 413 page. */
function isErrorBody({ status, head, body }: Answer): boolean {
  if (body === '') return true;
  if (status === 413 && body === '<h1>413 - Request Entity Too Large</h1>') return true;
  if (!/\r\ncontent-type: application\/json\r\n/i.test(head)) return false;
  try {
    const value = JSON.parse(body) as { errors?: unknown; key?: unknown };
    if (status === 404 && typeof value.key === 'string') return true;
    return (
      Array.isArray(value.errors) &&
      value.errors.length > 0 &&
      value.errors.every((message) => typeof message === 'string' && message !== '')
    );
  } catch {
    return false;
  }
}

/**
 * Returns what is wrong with the answers to valid requests before and after bad bytes. Those before must be answered
 * first, each with its own answer. Those after may be answered, but in their order and only once.
 */
export function orderProblem(
  answers: readonly Answer[],
  before: readonly string[],
  after: readonly string[],
): string | undefined {
  for (const [index, expected] of before.entries()) {
    const body = answers[index]?.body;
    if (body === undefined) return `the connection closed before the answer ${expected}`;
    if (body !== expected)
      return `expected ${expected}, received ${answers[index]?.status} ${body.slice(0, 200)}`;
  }
  let next = 0;
  for (const { body } of answers.slice(before.length)) {
    const at = after.indexOf(body);
    if (at === -1) continue;
    if (at < next) return `${body} was answered out of order`;
    next = at + 1;
  }
  return undefined;
}
