import type { Steps } from '../lib/concurrency/time-slices.js';
import { JsonNumber, type JsonObject, type JsonValue } from './value.js';

/**
 * Writes canonical JSON, in steps: what `JSON.stringify` writes, with the text of every number as it was sent and every
 * attribute in its place. Values that `parseJson` gives are at most its `maxDepth` deep.
 */
export function* writeJson(value: JsonValue): Steps<Buffer> {
  const writer = new Writer();
  if (isContainer(value)) yield* writer.container(value);
  else writer.scalar(value);
  return writer.finish();
}

/** The same in one step, as text: for a small value. */
export function stringifyJson(value: JsonValue): string {
  if (value instanceof JsonNumber) return value.text;
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(stringifyJson).join(',')}]`;
  if (value instanceof Map) {
    const members: string[] = [];
    for (const [name, member] of value) members.push(`${JSON.stringify(name)}:${stringifyJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return String(value);
}

const valuesPerStep = 256;
/**
 * Text is converted to bytes in pieces of this size, so that the text of a large value is never in memory as a whole.
 */
const pieceCharacters = 32_768;

type Scalar = null | boolean | string | JsonNumber;
type Container = JsonValue[] | JsonObject;

function isContainer(value: JsonValue): value is Container {
  return value instanceof Map || Array.isArray(value);
}

class Writer {
  private text = '';
  private readonly pieces: Buffer[] = [];
  private values = 0;

  container(value: Container): Steps<void> {
    return Array.isArray(value) ? this.list(value) : this.object(value);
  }

  private *list(list: JsonValue[]): Steps<void> {
    this.text += '[';
    let isFirst = true;
    for (const element of list) {
      if (!isFirst) this.text += ',';
      isFirst = false;
      if (isContainer(element)) yield* this.container(element);
      else this.scalar(element);
      if (this.countValue()) yield;
    }
    this.text += ']';
  }

  private *object(object: JsonObject): Steps<void> {
    this.text += '{';
    let isFirst = true;
    for (const [name, member] of object) {
      this.text += `${isFirst ? '' : ','}${JSON.stringify(name)}:`;
      isFirst = false;
      if (isContainer(member)) yield* this.container(member);
      else this.scalar(member);
      if (this.countValue()) yield;
    }
    this.text += '}';
  }

  scalar(value: Scalar): void {
    this.text += stringifyJson(value);
  }

  finish(): Buffer {
    const last = Buffer.from(this.text);
    return this.pieces.length === 0 ? last : Buffer.concat([...this.pieces, last]);
  }

  /** Counts a value. Gives whether it is time for a pause. */
  private countValue(): boolean {
    const isPieceFull = this.text.length >= pieceCharacters;
    if (isPieceFull) {
      this.pieces.push(Buffer.from(this.text));
      this.text = '';
    }
    return ++this.values % valuesPerStep === 0 || isPieceFull;
  }
}
