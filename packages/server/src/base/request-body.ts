import type { Call } from '../http/call.js';
import { readJsonBody } from '../http/json-body.js';
import { runInSlices, type Steps } from '../lib/time-slices.js';
import { maxBodyBytes } from './limits.js';

/** What `read` gives for the body of a request of the database API. Throws its 413 and 415 as a `RequestError`. */
export async function bodyOf<Body>(call: Call, read: (body: Buffer) => Steps<Body>): Promise<Body> {
  return await runInSlices(read(await readJsonBody(call, maxBodyBytes)));
}
