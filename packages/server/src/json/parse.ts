import { isUtf8 } from 'node:buffer';
import { brokenNumberRule } from './number.js';
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
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const listStart = 0x5b;
const backslash = 0x5c;
const objectStart = 0x7b;

const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
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
    if (char === objectStart) return this.nested(() => this.object());
    if (char === listStart) return this.nested(() => this.list());
    if (char === minus || (char >= zero && char <= nine)) return this.number();
    if (this.skipWord('null')) return null;
    if (this.skipWord('true')) return true;
    if (this.skipWord('false')) return false;
    throw this.malformed('a value');
  }

  /** The path grows with each level, so its length is the depth. */
  private nested<T>(read: () => T): T {
    if (this.path.length >= this.maxDepth) throw new JsonError(`nested more than ${this.maxDepth} deep`);
    this.at++;
    this.path.push('');
    const value = read();
    this.path.pop();
    return value;
  }

  private object(): JsonObject {
    const members: JsonObject = new Map();
    this.skipSpace();
    if (this.skip('}')) return members;
    for (;;) {
      this.skipSpace();
      if (this.text.charCodeAt(this.at) !== quote) throw this.malformed('an attribute name in quotes');
      const name = this.string();
      this.path[this.path.length - 1] = name;
      this.skipSpace();
      if (!this.skip(':')) throw this.malformed("':'");
      this.skipSpace();
      members.set(name, this.value());
      this.skipSpace();
      if (this.skip('}')) return members;
      if (!this.skip(',')) throw this.malformed("',' or '}'");
    }
  }

  private list(): JsonValue[] {
    const elements: JsonValue[] = [];
    this.skipSpace();
    if (this.skip(']')) return elements;
    for (;;) {
      this.path[this.path.length - 1] = elements.length;
      this.skipSpace();
      elements.push(this.value());
      this.skipSpace();
      if (this.skip(']')) return elements;
      if (!this.skip(',')) throw this.malformed("',' or ']'");
    }
  }

  private number(): JsonNumber {
    numberPattern.lastIndex = this.at;
    const found = numberPattern.exec(this.text);
    if (found === null) throw this.malformed('a number');
    const [text] = found;
    const rule = brokenNumberRule(text);
    if (rule !== undefined) throw new JsonError(`${this.place()}${rule}`);
    this.at += text.length;
    return new JsonNumber(text);
  }

  private string(): string {
    let value = '';
    let start = ++this.at;
    for (;;) {
      const char = this.text.charCodeAt(this.at);
      if (char === quote) break;
      if (char === backslash) {
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
    if (!value.isWellFormed()) throw new JsonError(`${this.place()}a string with a lone surrogate`);
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

  private skip(char: string): boolean {
    if (this.text.charAt(this.at) !== char) return false;
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
