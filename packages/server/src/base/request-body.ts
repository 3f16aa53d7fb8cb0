import { type Asked, asked } from '../http/requests/bodies/asked.js';
import { readJsonBody } from '../http/requests/bodies/json-body.js';
import type { Call } from '../http/requests/call.js';
import { onceReady } from '../lib/concurrency/once-ready.js';
import type { Steps } from '../lib/concurrency/time-slices.js';
import { maxBodyBytes } from './limits.js';

/**
 * What `read` gives for the body of a request of the database API. Throws its 413 and 415 as a `RequestError`, or rejects
 * with it.
 */
export function bodyOf<Body>(call: Call, read: (body: Buffer) => Steps<Body>): Body | Promise<Body> {
  return onceReady(readJsonBody(call, maxBodyBytes), (body) => call.run(read(body)));
}

/** The same, which may be forgotten while it waits for its turn. */
export async function askedOf<Body>(call: Call, read: (body: Buffer) => Steps<Body>): Promise<Asked<Body>> {
  const body = await readJsonBody(call, maxBodyBytes);
  return asked(call, () => read(body));
}
