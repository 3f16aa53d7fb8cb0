import { isUtf8 } from 'node:buffer';
import { numberProblem } from './number.js';
import { pathText } from './path-text.js';
import { JsonNumber, type JsonObject, type JsonValue } from './value.js';

/** Text that is no JSON, or a value that cannot be kept exactly. The message is for the caller. */
export class JsonError extends Error {
  override readonly name = 'JsonError';
}

/**
 * Reads JSON (RFC 8259, strictly). Of an object's members with one name the last counts, at the first one's place.
 * Throws `JsonError` for malformed text (with the position), for bytes that are not UTF-8, for nesting deeper than
 * `maxDepth`, for lone surrogates, and for numbers that break the number rule (with the path of the value).
 */
export function parseJson(bytes: Buffer, maxDepth: number): JsonValue {
  if (!isUtf8(bytes)) throw new JsonError('not valid UTF-8');
  return new Parser(bytes.toString('utf8'), maxDepth).document();
}

const quote = 0x22;
const plus = 0x2b;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const largeE = 0x45;
const listStart = 0x5b;
const backslash = 0x5c;
const listEnd = 0x5d;
const smallE = 0x65;
const objectStart = 0x7b;
const objectEnd = 0x7d;

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

class Parser {
  private at = 0;
  private readonly path: (string | number)[] = [];

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
  ) {}

  document(): JsonValue {
    this.skipSpace();
    const value = this.value();
    this.skipSpace();
    if (this.at < this.text.length) throw this.malformed('the end');
    return value;
  }

  private value(): JsonValue {
    const char = this.text.charCodeAt(this.at);
    if (char === quote) return this.string();
    if (char === objectStart) return this.object();
    if (char === listStart) return this.list();
    if (char === minus || (char >= zero && char <= nine)) return this.number();
    if (this.skipWord('null')) return null;
    if (this.skipWord('true')) return true;
    if (this.skipWord('false')) return false;
    throw this.malformed('a value');
  }

  /** The path grows with each level, so its length is the depth. */
  private enter(): void {
    if (this.path.length >= this.maxDepth) throw new JsonError(`nested more than ${this.maxDepth} deep`);
    this.at++;
    this.path.push('');
    this.skipSpace();
  }

  private object(): JsonObject {
    const members: JsonObject = new Map();
    this.enter();
    for (let isEmpty = true; ; isEmpty = false) {
      if (isEmpty && this.skip(objectEnd)) break;
      if (this.text.charCodeAt(this.at) !== quote) throw this.malformed('an attribute name in quotes');
      const name = this.string();
      this.path[this.path.length - 1] = name;
      this.skipSpace();
      if (!this.skip(colon)) throw this.malformed("':'");
      this.skipSpace();
      members.set(name, this.value());
      this.skipSpace();
      if (this.skip(objectEnd)) break;
      if (!this.skip(comma)) throw this.malformed("',' or '}'");
      this.skipSpace();
    }
    this.path.pop();
    return members;
  }

  private list(): JsonValue[] {
    const elements: JsonValue[] = [];
    this.enter();
    for (;;) {
      if (elements.length === 0 && this.skip(listEnd)) break;
      this.path[this.path.length - 1] = elements.length;
      elements.push(this.value());
      this.skipSpace();
      if (this.skip(listEnd)) break;
      if (!this.skip(comma)) throw this.malformed("',' or ']'");
      this.skipSpace();
    }
    this.path.pop();
    return elements;
  }

  private number(): JsonNumber {
    const start = this.at;
    this.skip(minus);
    if (!this.skip(zero)) this.digits();
    if (this.skip(point)) this.digits();
    if (this.skip(smallE) || this.skip(largeE)) {
      if (!this.skip(plus)) this.skip(minus);
      this.digits();
    }
    const text = this.text.slice(start, this.at);
    const rule = numberProblem(text);
    if (rule !== undefined) throw new JsonError(`${this.place()}${rule}`);
    return new JsonNumber(text);
  }

  /** One or more. */
  private digits(): void {
    const start = this.at;
    for (;;) {
      const char = this.text.charCodeAt(this.at);
      // What lies behind the end is not a number, and so fails both.
      if (!(char >= zero && char <= nine)) break;
      this.at++;
    }
    if (this.at === start) throw this.malformed('a digit');
  }

  private string(): string {
    let value = '';
    let hasEscape = false;
    let start = ++this.at;
    for (;;) {
      const char = this.text.charCodeAt(this.at);
      if (char === quote) break;
      if (char === backslash) {
        hasEscape = true;
        value += this.text.slice(start, this.at) + this.escape();
        start = this.at;
      } else if (char >= 0x20) {
        this.at++;
      } else {
        throw this.malformed(
          this.at < this.text.length ? 'an escape for a control character' : 'a closing quote',
        );
      }
    }
    value += this.text.slice(start, this.at);
    this.at++;
    // Text that was UTF-8 holds no surrogates; escapes may.
    if (hasEscape && !value.isWellFormed())
      throw new JsonError(`${this.place()}a string with a lone surrogate`);
    return value;
  }

  private escape(): string {
    const char = this.text.charAt(this.at + 1);
    if (char === 'u') {
      const digits = this.text.slice(this.at + 2, this.at + 6);
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw this.malformed('four hexadecimal digits');
      this.at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const value = escapes[char];
    if (value === undefined) throw this.malformed('a known escape');
    this.at += 2;
    return value;
  }

  private skipSpace(): void {
    for (;;) {
      const char = this.text.charCodeAt(this.at);
      if (char !== 0x20 && char !== 0x0a && char !== 0x0d && char !== 0x09) return;
      this.at++;
    }
  }

  private skip(char: number): boolean {
    if (this.text.charCodeAt(this.at) !== char) return false;
    this.at++;
    return true;
  }

  private skipWord(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  private malformed(expected: string): JsonError {
    const where = this.at < this.text.length ? `at character ${this.at}` : 'at its end';
    return new JsonError(`malformed JSON ${where}: expected ${expected}`);
  }

  private place(): string {
    return this.path.length === 0 ? '' : `${pathText(this.path)}: `;
  }
}
