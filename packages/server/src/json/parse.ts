import { isUtf8 } from 'node:buffer';
import { runAtOnce, type Steps } from '../lib/concurrency/time-slices.js';
import { StacklessError } from '../lib/stackless-error.js';
import {
  backslash,
  beginsNumber,
  colon,
  comma,
  largeE,
  listEnd,
  listStart,
  minus,
  nine,
  objectEnd,
  objectStart,
  plus,
  point,
  quote,
  smallE,
  smallU,
  zero,
} from './characters.js';
import { decodeUtf8, partBytesOf } from './decode-utf8.js';
import { maxNumberCharacters, numberProblem, shortest } from './number.js';
import { type Outline, OutlineCheck } from './outline.js';
import { parsedSize } from './parsed-size.js';
import { JsonNumber, type JsonObject, type JsonValue } from './value.js';

type JsonFault = 'invalid_json' | 'invalid_number' | 'invalid_text' | 'too_deep' | 'too_long' | 'too_many';

/** Text that is not JSON, or a value that breaks a rule. The message is for the caller. */
export class JsonError extends StacklessError {
  override readonly name = 'JsonError';

  /** `path`: that of the value; empty for the text as a whole. */
  constructor(
    readonly code: JsonFault,
    rule: string,
    readonly path = '',
  ) {
    super(path === '' ? rule : `${path}: ${rule}`);
  }
}

export interface JsonRules {
  /** Nesting of lists and objects. */
  readonly maxDepth: number;
  /** The maximum number of values, including lists and objects. With `elements`, the maximum for each element. */
  readonly maxValues: number;
  /** Of a string or a name, as it is written. */
  readonly maxStringCharacters: number;
  /**
   * `exact`: the number rule holds, and texts are kept. `shortest`: it holds, and each number has its shortest text,
   * for one that is only compared. `short`: no number has more characters than one may have, and the caller checks the
   * rest. `any`: it was checked before.
   */
  readonly numbers: 'exact' | 'shortest' | 'short' | 'any';
  readonly elements?: ElementReader;
  readonly outline?: Outline;
}

/** Takes the elements of a list one by one, so that they are never in memory all at once. */
export interface ElementReader {
  /** Of the outermost object; in the result its list is empty. */
  readonly member: string;
  /** The member is a list. If the name comes twice, the last one counts. */
  begin(): void;
  take(element: JsonValue): Steps<void>;
}

/** JSON that this service has written. */
export const writtenHere: JsonRules = {
  maxDepth: Number.POSITIVE_INFINITY,
  maxValues: Number.POSITIVE_INFINITY,
  maxStringCharacters: Number.POSITIVE_INFINITY,
  numbers: 'any',
};

/**
 * Reads JSON (RFC 8259, strictly), in steps; first it says how much memory that takes. Of an object's members with one name
 * the last counts, in the place of the first. Throws `JsonError` for malformed text (with the position), for bytes that are
 * not UTF-8, for lone surrogates, and for values that break the rules or the number rule (with the path of the value).
 */
export function* readJson(bytes: Buffer, rules: JsonRules): Steps<JsonValue> {
  if (!isUtf8(bytes)) throw new JsonError('invalid_json', 'not valid UTF-8');
  const partBytes = partBytesOf(bytes);
  if (bytes.length > smallBytes) yield (yield* parsedSize(bytes)) + partBytes;
  // Of a large body, each of these takes some milliseconds.
  if (bytes.length > largeBytes) yield;
  const text = yield* decodeUtf8(bytes);
  if (partBytes > 0) yield -partBytes;
  if (bytes.length > largeBytes) yield;
  return yield* new Parser(text, rules).document();
}

/** The same at once. */
export function parseJson(bytes: Buffer, rules: JsonRules): JsonValue {
  return runAtOnce(readJson(bytes, rules));
}

/** `items[3].profile.age`; names that would be misread are quoted. */
export function pathText(path: readonly (string | number)[]): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else if (text === '') text = segment;
    else if (/^[\p{L}\p{N}_$-]+$/u.test(segment)) text += `.${segment}`;
    else text += `[${JSON.stringify(segment)}]`;
  }
  return text;
}

/** Nobody reads more of a path in a message. */
const shownPathCharacters = 200;

const shortEscapes = new Set(Array.from('"\\/bfnrt', (char) => char.charCodeAt(0)));
/** Takes so little memory that nobody counts it. */
const smallBytes = 256;
const shortList = 12;
const largeBytes = 1024 * 1024;
const charactersPerStep = 8192;
const spacesPerStep = 65_536;
/** Every number that is shorter is compared fast enough as it is. */
const shortNumberCharacters = 20;

function isHexDigit(char: number): boolean {
  // Letters differ from their capitals in one bit.
  const letter = char | 0x20;
  return (char >= zero && char <= nine) || (letter >= 0x61 && letter <= 0x66);
}

type Container = JsonValue[] | JsonObject;

/** What comes next, after white space. */
const State = {
  value: 0,
  firstMember: 1,
  member: 2,
  colon: 3,
  firstElement: 4,
  afterValue: 5,
  end: 6,
} as const;
type State = (typeof State)[keyof typeof State];

class Parser {
  private at = 0;
  private values = 0;
  private pauseAt = charactersPerStep;
  private state: State = State.value;
  /** The containers around the present place, the outermost first. */
  private readonly open: Container[] = [];
  /** For each of them the name or the index of the present member. */
  private readonly path: (string | number)[] = [];
  private result: JsonValue = null;
  /** The list whose elements are handed over, and one that is complete. */
  private handedOver: JsonValue[] | undefined;
  private element: JsonValue | undefined;
  private readonly outline: OutlineCheck | undefined;

  constructor(
    private readonly text: string,
    private readonly rules: JsonRules,
  ) {
    this.outline = rules.outline && new OutlineCheck(rules.outline);
  }

  *document(): Steps<JsonValue> {
    const { elements } = this.rules;
    while (!this.read()) {
      const { element } = this;
      if (element === undefined || elements === undefined) {
        yield;
      } else {
        this.element = undefined;
        yield* elements.take(element);
      }
    }
    return this.result;
  }

  /** Reads on, until a pause is due or an element is to be handed over (false), or to the end of the text (true). */
  private read(): boolean {
    for (;;) {
      if (this.element !== undefined || !this.skipSpace()) return false;
      switch (this.state) {
        case State.firstMember:
        case State.member:
          if (this.state === State.firstMember && this.skip(objectEnd)) this.close();
          else this.name();
          break;
        case State.colon:
          if (!this.skip(colon)) throw this.malformed("':'");
          this.state = State.value;
          break;
        case State.firstElement:
          if (this.skip(listEnd)) this.close();
          else this.beginElement(0);
          break;
        case State.value:
          this.value();
          if (this.at >= this.pauseAt) {
            this.pauseAt = this.at + charactersPerStep;
            return false;
          }
          break;
        case State.afterValue:
          this.afterValue();
          break;
        case State.end:
          if (this.at < this.text.length) throw this.malformed('the end');
          return true;
      }
    }
  }

  private value(): void {
    this.countValue();
    const char = this.text.charCodeAt(this.at);
    if (char === objectStart) {
      this.enter(new Map());
      this.state = State.firstMember;
    } else if (char === listStart) {
      const list: JsonValue[] = [];
      this.enter(list);
      this.state = State.firstElement;
      const { elements } = this.rules;
      if (elements !== undefined && this.path.length === 2 && this.path[0] === elements.member) {
        this.handedOver = list;
        elements.begin();
      }
    } else {
      this.complete(this.scalar(char));
    }
  }

  private scalar(char: number): JsonValue {
    if (char === quote) return this.string();
    if (beginsNumber(char)) return this.number();
    if (this.skipWord('null')) return null;
    if (this.skipWord('true')) return true;
    if (this.skipWord('false')) return false;
    throw this.malformed('a value');
  }

  private enter(container: Container): void {
    const { maxDepth } = this.rules;
    if (this.open.length >= maxDepth) throw new JsonError('too_deep', `nested more than ${maxDepth} deep`);
    this.at++;
    this.open.push(container);
    this.path.push('');
  }

  private name(): void {
    if (this.text.charCodeAt(this.at) !== quote) throw this.malformed('an attribute name in quotes');
    const name = this.string();
    this.path[this.path.length - 1] = name;
    this.state = State.colon;
    if (this.outline === undefined) return;
    const depth = this.open.length;
    if (depth === 1) this.outline.begin(name);
    else if (depth === 2) this.outline.add();
    else if (depth === 3 && typeof this.path[1] === 'number') this.outline.addWithin();
  }

  private beginElement(index: number): void {
    this.path[this.path.length - 1] = index;
    if (this.open.length === 2) this.outline?.add();
    if (this.handedOver !== undefined && this.open.at(-1) === this.handedOver) this.values = 0;
    this.state = State.value;
  }

  /** A value is whole: it becomes a member of the container around it. */
  private complete(value: JsonValue): void {
    const parent = this.open.at(-1);
    if (parent === undefined) {
      this.result = value;
      this.state = State.end;
      return;
    }
    if (!Array.isArray(parent)) parent.set(this.path[this.path.length - 1] as string, value);
    else if (parent !== this.handedOver) parent.push(value);
    else this.element = value;
    this.state = State.afterValue;
  }

  private close(): void {
    this.path.pop();
    const container = this.open.pop() as Container;
    if (container === this.handedOver) this.handedOver = undefined;
    // A list has room for 17 elements from its first one on, and for as many as it has when it is copied.
    const isShort = Array.isArray(container) && container.length > 0 && container.length <= shortList;
    this.complete(isShort ? container.slice() : container);
  }

  private afterValue(): void {
    const isList = Array.isArray(this.open.at(-1));
    if (this.skip(isList ? listEnd : objectEnd)) this.close();
    else if (!this.skip(comma)) throw this.malformed(isList ? "',' or ']'" : "',' or '}'");
    else if (isList) this.beginElement((this.path[this.path.length - 1] as number) + 1);
    else this.state = State.member;
  }

  private countValue(): void {
    const { maxValues, elements } = this.rules;
    if (++this.values <= maxValues) return;
    const isElement = elements !== undefined && this.path[0] === elements.member;
    // Of a list with a million elements, the list is named and not the element at which it became too long.
    const isInList = typeof this.path.at(-1) === 'number';
    const path = isElement ? this.path.slice(0, 2) : isInList ? this.path.slice(0, -1) : this.path;
    const shown = pathText(path).slice(0, shownPathCharacters);
    throw new JsonError('too_many', `more than ${maxValues} JSON values`, shown);
  }

  private number(): JsonNumber {
    const start = this.at;
    this.skip(minus);
    if (!this.skip(zero)) this.digits(start);
    if (this.skip(point)) this.digits(start);
    if (this.skip(smallE) || this.skip(largeE)) {
      if (!this.skip(plus)) this.skip(minus);
      this.digits(start);
    }
    const number = new JsonNumber(this.text.slice(start, this.at));
    if (this.rules.numbers === 'any' || this.rules.numbers === 'short') return number;
    const problem = numberProblem(number.text);
    if (problem !== undefined) throw new JsonError('invalid_number', problem, pathText(this.path));
    const isShort = this.rules.numbers === 'exact' || number.text.length <= shortNumberCharacters;
    return isShort ? number : shortest(number);
  }

  /** One or more, of the number that begins at `numberAt`. */
  private digits(numberAt: number): void {
    const start = this.at;
    const stopAt =
      this.rules.numbers === 'any' ? Number.POSITIVE_INFINITY : numberAt + maxNumberCharacters + 1;
    // What follows the end of the text is NaN, and so fails both comparisons.
    for (;;) {
      const char = this.text.charCodeAt(this.at);
      if (!(char >= zero && char <= nine)) break;
      if (++this.at >= stopAt) {
        const rule = `a number of more than ${maxNumberCharacters} characters`;
        throw new JsonError('invalid_number', rule, pathText(this.path));
      }
    }
    if (this.at === start) throw this.malformed('a digit');
  }

  private string(): string {
    const { maxStringCharacters } = this.rules;
    const start = this.at;
    let hasEscape = false;
    this.at++;
    for (;;) {
      const char = this.text.charCodeAt(this.at);
      if (char === quote) break;
      if (char === backslash) {
        hasEscape = true;
        this.at += this.escapeLength();
      } else if (char >= 0x20) {
        this.at++;
      } else {
        const isEnd = this.at >= this.text.length;
        throw this.malformed(isEnd ? 'a closing quote' : 'an escape for a control character');
      }
      if (this.at - start > maxStringCharacters) {
        throw this.badText('too_long', `of more than ${maxStringCharacters} characters`);
      }
    }
    const end = this.at++;
    if (!hasEscape) return this.text.slice(start + 1, end);
    const value = JSON.parse(this.text.slice(start, end + 1)) as string;
    // Text that was UTF-8 has no surrogates of its own; escapes may make them.
    if (!value.isWellFormed()) throw this.badText('invalid_text', 'with a lone surrogate');
    return value;
  }

  private escapeLength(): number {
    const char = this.text.charCodeAt(this.at + 1);
    if (char === smallU) {
      for (let at = this.at + 2; at < this.at + 6; at++) {
        if (!isHexDigit(this.text.charCodeAt(at))) throw this.malformed('four hexadecimal digits');
      }
      return 6;
    }
    if (!shortEscapes.has(char)) throw this.malformed('a known escape');
    return 2;
  }

  /** False when there may be more of it: then it is time for a pause. */
  private skipSpace(): boolean {
    const stopAt = this.at + spacesPerStep;
    while (this.at < stopAt) {
      const char = this.text.charCodeAt(this.at);
      if (char !== 0x20 && char !== 0x0a && char !== 0x0d && char !== 0x09) return true;
      this.at++;
    }
    return false;
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

  /** Of a name the path is that of its object: until the name is read, the path ends with that of the member before. */
  private badText(code: JsonFault, problem: string): JsonError {
    const isName = this.state === State.firstMember || this.state === State.member;
    const path = isName ? this.path.slice(0, -1) : this.path;
    return new JsonError(code, `${isName ? 'an attribute name' : 'a string'} ${problem}`, pathText(path));
  }

  private malformed(expected: string): JsonError {
    const where = this.at < this.text.length ? `at character ${this.at}` : 'at its end';
    return new JsonError('invalid_json', `malformed JSON ${where}: expected ${expected}`);
  }
}
