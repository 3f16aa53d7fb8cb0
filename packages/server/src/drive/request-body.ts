import { requireJsonType } from '../http/requests/bodies/json-body.js';
import type { Call } from '../http/requests/call.js';
import type { Steps } from '../lib/concurrency/time-slices.js';
import { pageTooLarge } from '../request-error.js';
import type { Source } from './contents/piece.js';
import { defaultInlineFileBytes } from './limits.js';

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
    ? call.body(maxBytes, pageTooLarge)
    : call.stream(maxBytes, pageTooLarge, { keptBytes: keptByWrite, isPrompt: false });
}

/** What `read` gives for a JSON body of at most `maxBytes`. Throws its 413 and 415 as a `RequestError`. */
export async function jsonBodyOf<Body>(
  call: Call,
  maxBytes: number,
  read: (body: Buffer) => Steps<Body>,
): Promise<Body> {
  requireJsonType(call);
  return await call.run(read(await call.body(maxBytes, pageTooLarge)));
}
