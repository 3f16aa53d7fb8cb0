import { freeing, type Steps } from '../../lib/concurrency/time-slices.js';
import type { S3Call } from '../call.js';
import { readXml, type XmlElement } from '../xml/read-xml.js';
import { receiveWhole } from './receive.js';

/**
 * Reads a body of XML with one of these roots, in memory and in steps. Its memory, and that of what is read, counts until the
 * answer is sent. Throws `MalformedXML`, `EntityTooLarge`, and what `receiveWhole` throws.
 */
export async function receiveXml(
  call: S3Call,
  maxBytes: number,
  ...roots: readonly string[]
): Promise<XmlElement> {
  const body = await receiveWhole(call, maxBytes);
  return await call.exchange.run(readXml(body, ...roots));
}

/** What is kept of a body of XML in place of the XML itself. */
export interface XmlReading<T> {
  readonly root: string;
  readonly read: (body: XmlElement) => Steps<T>;
  /** The memory of what was read, in bytes. */
  readonly bytesOf: (result: T) => number;
}

/**
 * The same for work that may wait long for others: from then on, only what was read counts. Throws what `receiveXml` and `read`
 * throw.
 */
export async function receiveFromXml<T>(
  call: S3Call,
  maxBytes: number,
  { root, read, bytesOf }: XmlReading<T>,
): Promise<T> {
  const { exchange } = call;
  const body = await receiveWhole(call, maxBytes);
  const result = await exchange.run(freeing(readAll(body, root, read), bytesOf));
  exchange.freeBody();
  return result;
}

function* readAll<T>(body: Buffer, root: string, read: XmlReading<T>['read']): Steps<T> {
  return yield* read(yield* readXml(body, root));
}
