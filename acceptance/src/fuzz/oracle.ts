import { type Answer, requestIdOf } from './answers.js';
import { smuggledPrefix } from './request.js';

/** What must hold for every answer, whatever was asked. */
export function wrongInAnswer(answer: Answer): string | undefined {
  const { status, head, body } = answer;
  if (status >= 500) return `a ${status}: ${body.slice(0, 300)}`;
  if (requestIdOf(answer) === undefined) return `a ${status} without a request id: ${head}`;
  if (body.includes(smuggledPrefix) && body.startsWith('{"key":'))
    return `a hidden request was answered: ${body}`;
  if (status >= 400 && !isErrorBody(answer)) return `a ${status} with this body: ${body.slice(0, 300)}`;
  return undefined;
}

/** `{"errors":["…"]}`, "two exceptions: `GET` of a missing item, and `413` of the file API" */
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
 * Good requests stood before and behind bad bytes. Those before have been answered first, each with its own
 * answer; of those behind, none out of its order, and none twice.
 */
export function wrongInOrder(
  answers: readonly Answer[],
  before: readonly string[],
  behind: readonly string[],
): string | undefined {
  for (const [index, expected] of before.entries()) {
    const body = answers[index]?.body;
    if (body === undefined) return `the connection closed before the answer ${expected}`;
    if (body !== expected)
      return `instead of ${expected} came ${answers[index]?.status} ${body.slice(0, 200)}`;
  }
  let next = 0;
  for (const { body } of answers.slice(before.length)) {
    const at = behind.indexOf(body);
    if (at === -1) continue;
    if (at < next) return `${body} came out of its order`;
    next = at + 1;
  }
  return undefined;
}
