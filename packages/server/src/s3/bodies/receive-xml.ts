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
