import { tooLargePage } from '../http/answer.js';
import type { Answer, Call, Handler } from '../http/call.js';
import { requireJsonType } from '../http/json-body.js';
import { defaultInlineFileBytes } from './limits.js';
import type { Source } from './piece.js';

/** The body is larger than the file API accepts. The answer is an HTML page, not JSON (docs/http.md#put-file). */
class BodyTooLarge extends Error {}

/**
 * Gives a short body as a buffer, and a longer one, or one of unknown length, as a stream. The budget counts
 * `keptByWrite` bytes for the stream, the most that the blob store keeps of it in memory.
 */
export function sourceOf(
  call: Call,
  { maxBytes, keptByWrite }: { readonly maxBytes: number; readonly keptByWrite: number },
): Source | Promise<Source> {
  const known = call.contentLength;
  return known !== undefined && known <= defaultInlineFileBytes
    ? call.body(maxBytes, tooLarge)
    : call.stream(maxBytes, tooLarge, { keptBytes: keptByWrite, isPrompt: false });
}

/** The body of a request whose type must be JSON, not parsed yet. Throws its 400 and 415 as a `RequestError`. */
export function jsonBody(call: Call, maxBytes: number): Promise<Buffer> {
  requireJsonType(call);
  return call.body(maxBytes, tooLarge);
}

/** Makes a handler answer a body that is too large as docs/http.md#put-file says. */
export function pageWhenTooLarge(handler: (call: Call) => Promise<Answer>): Handler {
  return async (call) => {
    try {
      return await handler(call);
    } catch (cause) {
      if (cause instanceof BodyTooLarge) return tooLargePage();
      throw cause;
    }
  };
}

function tooLarge(): Error {
  return new BodyTooLarge();
}
