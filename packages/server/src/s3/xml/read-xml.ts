import sax, { type SAXOptions } from 'sax';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { S3Error } from '../errors.js';

/** An element: its name without a prefix, its text, and the elements in it. */
export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly elements: readonly XmlElement[];
}

/**
 * Only the five entities that XML itself has. Its types do not know `strictEntities`. It counts its position, because by it
 * the parser ends a name, an attribute or a comment that is longer than 64 Ki characters.
 */
const options = { strictEntities: true } as SAXOptions;

interface OpenElement {
  readonly name: string;
  text: string;
  readonly elements: XmlElement[];
}

const maxDepth = 10;
const stepCharacters = 16 * 1024;
const maxTextCharacters = 16 * 1024;
/** More than any request needs: 10,000 parts with two members more each. */
const maxElements = 100_000;

/** Requests have none but name spaces and types, of which they need a few. */
const maxAttributes = 10_000;

/** What an element takes of memory besides its text: itself, its list and its place in another one. */
const elementBytes = 128;
/** What a smaller body becomes is not counted. */
const countedBytes = 16 * 1024;
/** The most that a character takes. */
const characterBytes = 2;

/**
 * Reads the body of a request in steps, which say how much memory they need. Throws `MalformedXML` for what is no XML in
 * UTF-8, has a document type (so no entities of its own), is nested deeper than 10, or has another root than one of `roots`.
 */
export function* readXml(body: Buffer, ...roots: readonly string[]): Steps<XmlElement> {
  const document: OpenElement = { name: '', text: '', elements: [] };
  const open: OpenElement[] = [document];
  let count = 0;
  const current = () => open.at(-1) as OpenElement;
  const parser = sax.parser(true, options);
  const refuse = () => {
    throw malformed();
  };
  parser.onerror = refuse;
  parser.ondoctype = refuse;
  parser.onopentag = ({ name }) => {
    if (open.length > maxDepth || ++count > maxElements) throw malformed();
    const element = { name: name.slice(name.indexOf(':') + 1), text: '', elements: [] };
    current().elements.push(element);
    open.push(element);
  };
  let attributes = 0;
  parser.onattribute = () => {
    if (++attributes > maxAttributes) throw malformed();
  };
  parser.onclosetag = () => {
    open.pop();
  };
  const addText = (text: string) => {
    const element = current();
    if (element.text.length + text.length > maxTextCharacters) throw malformed();
    element.text += text;
  };
  parser.ontext = addText;
  parser.oncdata = addText;
  const isCounted = body.length > countedBytes;
  if (isCounted) yield characterBytes * body.length;
  const text = textOf(body);
  let counted = 0;
  for (let at = 0; at < text.length; at += stepCharacters) {
    parser.write(text.slice(at, at + stepCharacters));
    if (isCounted && count > counted) {
      yield elementBytes * (count - counted);
      counted = count;
    }
    yield;
  }
  parser.close();
  const [root, ...others] = document.elements;
  if (root === undefined || others.length > 0 || !roots.includes(root.name)) throw malformed();
  return root;
}

/** The text of the element of this name, of which there is at most one. */
export function textIn(parent: XmlElement, name: string): string | undefined {
  const texts = parent.elements.filter((element) => element.name === name).map(({ text }) => text);
  if (texts.length > 1) throw malformed();
  return texts[0];
}

export function malformed(): S3Error {
  return new S3Error('MalformedXML');
}

function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw malformed();
  }
}
