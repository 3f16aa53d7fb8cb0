import type { S3Call } from '../call.js';
import { S3Error } from '../errors.js';
import { readXml, type XmlElement } from '../xml/read-xml.js';
import { receiveBody } from './receive.js';

/**
 * Reads a body of XML with one of these roots, in memory and in steps. Throws `MalformedXML`, `EntityTooLarge`, and what
 * `receiveBody` throws.
 */
export async function receiveXml(
  call: S3Call,
  maxBytes: number,
  ...roots: readonly string[]
): Promise<XmlElement> {
  const { source } = await receiveBody(call, maxBytes);
  if (Buffer.isBuffer(source)) return await call.exchange.run(readXml(source, ...roots));
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > maxBytes) throw new S3Error('EntityTooLarge');
    chunks.push(Buffer.from(chunk));
  }
  return await call.exchange.run(readXml(Buffer.concat(chunks), ...roots));
}
