import { createHash } from 'node:crypto';
import type { Agent } from 'node:http';
import { type RequestTemplate, render, renderText } from './request-template.js';
import { send } from './send.js';

/** A request and its expected answer. */
export interface Operation {
  readonly request: RequestTemplate;
  readonly status: number | readonly number[];
  /** Texts that the body must contain, with placeholders as in the request. */
  readonly includes?: readonly string[];
  /** The whole body. */
  readonly body?: Buffer;
  /** The minimum length of the body. */
  readonly atLeastBytes?: number;
  /** What is wrong with the body beyond the above, or undefined. */
  verify?(body: string): string | undefined;
}

export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

/**
 * Sends the operation once.
 * @param first the number of its first key
 * @param agent to keep the connection open, see `send`
 * @throws WrongAnswer if the status or the body differs from what is expected
 */
export async function checkAnswer(
  url: string,
  operation: Operation,
  first: number,
  agent?: Agent,
): Promise<void> {
  const rendered = render(operation.request, first);
  const { status, body } = await send(url, rendered, agent);
  const difference = differenceIn(operation, first, status, body);
  if (difference !== undefined) {
    throw new WrongAnswer(
      `${rendered.method} ${rendered.path}: ${difference}; the answer: ${status} ${preview(body)}`,
    );
  }
}

function differenceIn(operation: Operation, first: number, status: number, body: Buffer): string | undefined {
  const expected = [operation.status].flat();
  if (!expected.includes(status)) return `status ${status} instead of ${expected.join(' or ')}`;
  const text = body.toString('latin1');
  const missing = (operation.includes ?? []).find((part) => !text.includes(renderText(part, first)));
  if (missing !== undefined) return `no ${renderText(missing, first)} in the body`;
  if (operation.body !== undefined && digest(body) !== digest(operation.body)) return 'the body differs';
  if (body.length < (operation.atLeastBytes ?? 0)) return `only ${body.length} bytes`;
  return operation.verify?.(text);
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function preview(body: Buffer): string {
  return body.subarray(0, 200).toString();
}
