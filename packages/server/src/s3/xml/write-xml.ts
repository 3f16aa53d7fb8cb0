/** What is in an element: text, a number, or elements. Members that are undefined are absent; a list repeats its element. */
export type XmlContent = string | number | boolean | XmlElements;
export interface XmlElements {
  readonly [name: string]: XmlContent | readonly XmlContent[] | WrittenXml | undefined;
}

/** Elements that are written already, with their tags: they take the place of a member. */
export class WrittenXml {
  constructor(readonly text: string) {}
}

const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/';
const special = /[&<>"\t\n\r]/g;
const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};
/** What XML 1.0 cannot have, not even as a reference. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const impossible = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
/** Most texts have none of both. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const unusual = /[\0-\x1f&<>"\ufffe\uffff]/;

/**
 * An answer of S3. The elements of an answer are few and simple, and a list of 1,000 names is written often: so they are
 * written here. What a list repeats comes as `WrittenXml`, which takes a third of the time.
 */
export function writeXml(root: string, content: XmlContent, isPlain = false): string {
  const about = isPlain ? '' : ` xmlns="${namespace}"`;
  return `${head}<${root}${about}>${contentOf(content)}</${root}>`;
}

/** The elements without a root. */
export function contentOf(content: XmlContent): string {
  if (typeof content !== 'object') return typeof content === 'string' ? escapeXml(content) : String(content);
  let text = '';
  for (const [name, value] of Object.entries(content)) {
    if (value === undefined) continue;
    if (value instanceof WrittenXml) text += value.text;
    else if (Array.isArray(value)) {
      for (const one of value) text += `<${name}>${contentOf(one)}</${name}>`;
    } else {
      text += `<${name}>${contentOf(value as XmlContent)}</${name}>`;
    }
  }
  return text;
}

export function escapeXml(text: string): string {
  if (!unusual.test(text)) return text;
  return text.replace(impossible, '\ufffd').replace(special, (char) => references[char] as string);
}
