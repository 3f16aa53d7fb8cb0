import { hash } from 'node:crypto';
import { shortest } from '../../json/number.js';
import { readJson, writtenHere } from '../../json/parse.js';
import { writeJson } from '../../json/stringify.js';
import { JsonNumber, type JsonObject, type JsonValue } from '../../json/value.js';
import { freeing, type Steps } from '../../lib/concurrency/time-slices.js';
import { owned } from '../../lib/text/owned.js';

/** Integers of no more digits are written in one way only. */
const plainInteger = /^(?:0|-?[1-9]\d{0,14})$/;
const wholeCharacters = 64;
const valuesPerStep = 256;

export function isContainer(text: string): boolean {
  return text[0] === '[' || text[0] === '{';
}

/** The JSON of a value that is no list and no object, such that equal values have the same text: 1.0 and 1. */
export function canonicalScalar(text: string): string {
  const first = text[0];
  if (first === '"' || first === 't' || first === 'f' || first === 'n') return text;
  return plainInteger.test(text) ? text : shortest(new JsonNumber(text)).text;
}

/** The same of a list or an object, whose attributes may have another order (docs/http.md#query-conditions). */
export function canonicalContainer(text: string): Steps<string> {
  return freeing(canonicalJson(text));
}

function* canonicalJson(text: string): Steps<string> {
  let values = 0;

  function* canonical(value: JsonValue): Steps<JsonValue> {
    if (++values % valuesPerStep === 0) yield;
    if (value instanceof JsonNumber) return shortest(value);
    if (Array.isArray(value)) {
      for (const [index, element] of value.entries()) value[index] = yield* canonical(element);
    } else if (value instanceof Map) {
      const sorted: JsonObject = new Map();
      for (const name of [...value.keys()].sort()) {
        sorted.set(name, yield* canonical(value.get(name) as JsonValue));
      }
      return sorted;
    }
    return value;
  }

  const value = yield* canonical(yield* readJson(Buffer.from(text), writtenHere));
  return (yield* writeJson(value)).toString();
}

/** A short text that only equal values have in common, of their canonical JSON. */
export function valueId(canonical: string): string {
  return canonical.length <= wholeCharacters ? owned(canonical) : hash('sha256', canonical, 'base64url');
}
