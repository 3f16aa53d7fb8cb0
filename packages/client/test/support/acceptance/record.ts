import assert from 'node:assert/strict';
import { Basedrive, BasedriveError } from '../../../src/in-node.js';
import type { Api, Reply } from './wire.js';

/** How many requests of each operation were sent through the library. */
export const counts = new Map<string, number>();

type Library = ReturnType<typeof Basedrive>;

/**
 * Calls the library once and returns the answer of the service. Compares the result of the library with that answer:
 * `expected` computes the right result from a successful answer.
 */
export async function through(
  operation: string,
  { target }: Api,
  call: (library: Library) => Promise<unknown>,
  expected: (reply: Reply, made: unknown) => unknown,
): Promise<Reply> {
  counts.set(operation, (counts.get(operation) ?? 0) + 1);
  const replies: Promise<Reply>[] = [];
  const recording: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    replies.push(readReply(response.clone()));
    return response;
  };
  const library = Basedrive(target.key, { url: target.url.href, fetch: recording, retry: { times: 0 } });
  let made: unknown;
  try {
    made = await call(library);
  } catch (error) {
    assert.ok(error instanceof BasedriveError, String(error));
    const [reply] = await Promise.all(replies);
    assert.ok(reply, `${operation} sent nothing: ${error.message}`);
    assert.equal(error.status, reply.status);
    assert.equal(error.requestId, reply.headers['x-request-id']);
    if (reply.headers['content-type']?.startsWith('application/json')) {
      assert.deepEqual(error.errors, reply.json<{ errors: string[] }>().errors);
    }
    return reply;
  }
  const [reply] = await Promise.all(replies);
  assert.ok(reply, `${operation} sent nothing`);
  assert.deepEqual(made, expected(reply, made));
  return reply;
}

async function readReply(response: Response): Promise<Reply> {
  const body = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body,
    text: body.toString(),
    json: <T>() => JSON.parse(body.toString()) as T,
  };
}
