import type { NamedPart } from '../../drive/uploads/end-upload.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { owned } from '../../lib/text/owned.js';
import { S3Error } from '../errors.js';
import { malformed, textIn, type XmlElement } from '../xml/read-xml.js';

/** A part that CompleteMultipartUpload names. */
export interface CompletedPart extends NamedPart {
  /** By their algorithms. */
  readonly checksums: ReadonlyMap<string, string>;
}

/** What such a part takes of memory, with a checksum. */
export const completedPartBytes = 300;
const noChecksums: CompletedPart['checksums'] = new Map();

/** Of 10,000 parts, all at once would take 10 ms. */
export const partsPerStep = 500;

/**
 * The parts in the body of CompleteMultipartUpload: 1 to `maxPart`, in ascending order. Of one that was sent again, and is
 * named again, the last name counts. Throws `MalformedXML`, and `InvalidPartOrder`.
 */
export function* completedParts(body: XmlElement, maxPart: number): Steps<readonly CompletedPart[]> {
  const parts: CompletedPart[] = [];
  let isOrdered = true;
  let named = 0;
  for (const element of body.elements) {
    if (element.name !== 'Part') continue;
    const part = completedPart(element, maxPart);
    const last = parts.at(-1)?.part ?? 0;
    isOrdered &&= part.part >= last;
    if (part.part === last) parts.pop();
    parts.push(part);
    named++;
    if (named > maxPart) throw malformed();
    if (named % partsPerStep === 0) yield;
  }
  if (parts.length === 0) throw malformed();
  if (!isOrdered) throw new S3Error('InvalidPartOrder');
  return parts;
}

function completedPart(element: XmlElement, maxPart: number): CompletedPart {
  const part = Number(textIn(element, 'PartNumber'));
  const tag = textIn(element, 'ETag');
  if (!Number.isInteger(part) || part < 1 || part > maxPart || tag === undefined) throw malformed();
  const checksums = element.elements
    .filter(({ name }) => name.startsWith('Checksum'))
    .map(({ name, text }): [string, string] => [name.slice('Checksum'.length), owned(text.trim())]);
  const md5 = tag
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .toLowerCase();
  return { part, md5: owned(md5), checksums: checksums.length === 0 ? noChecksums : new Map(checksums) };
}
