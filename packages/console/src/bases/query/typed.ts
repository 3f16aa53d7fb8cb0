import { compact, jsonProblem } from '../../exact/print.js';
import { kindOf } from '../../exact/scan.js';
import type { Condition } from './model.js';
import { type Operator, operatorNamed, operators, operatorTyped } from './operators.js';

/** A condition that is being typed: what is there so far. */
export interface Typed {
  readonly path: string;
  readonly operator?: Operator | undefined;
  /** The text after the operator. */
  readonly operand?: string | undefined;
}

const word = /^\s*("(?:[^"\\]|\\.)*"|[^\s=≠≥≤<>!~^∋∌∈∉]+)/;
const signs = operators.flatMap(({ sign, typed }) => [sign, ...typed]).sort((a, b) => b.length - a.length);

/** Splits `age >= 36` into its parts, as far as they are typed. A path with spaces is in quotes. */
export function splitTyped(text: string): Typed {
  const path = word.exec(text);
  if (path === null) return { path: text.trim() };
  const name = unquote(path[1] ?? '');
  const rest = text.slice(path[0].length);
  const trimmed = rest.trimStart();
  const sign = signs.find((one) => trimmed.startsWith(one) && endsThere(one, trimmed));
  if (sign === undefined) return { path: name, operand: rest === '' ? undefined : trimmed };
  return { path: name, operator: operatorTyped(sign), operand: trimmed.slice(sign.length).trim() };
}

/** The condition of a text, or what is wrong with it. */
export function readTyped(text: string): Condition | { readonly problem: string } {
  const { path, operator, operand = '' } = splitTyped(text);
  if (path === '') return { problem: 'Begin with an attribute' };
  if (operator === undefined)
    return { problem: `Say what ${path} must be: ${path} = …, ${path} > …, ${path} ~ …` };
  const value = operandOf(operator, operand);
  return typeof value === 'string' ? { path, operator: operator.name, operand: value } : value;
}

/** One of several conditions that are typed together. */
interface Part {
  /** How it is joined to what is before it. */
  readonly joint: 'and' | 'or';
  readonly text: string;
}

/**
 * Splits `age > 30 and name ~ ada` into its conditions. The words join only where a condition on a known attribute
 * follows, or any condition after a value that is no plain text: such a text may have them, too. The whole may begin with
 * one.
 */
export function splitJoined(text: string, isKnown: (path: string) => boolean): readonly Part[] {
  const begins = /^\s*(and|or)\s+/i.exec(text);
  const rest = begins === null ? text : text.slice(begins[0].length);
  const isJoint = begins !== null && isKnown(splitTyped(rest).path);
  return split(isJoint ? rest : text, isJoint ? jointOf(begins[1]) : 'and', isKnown);
}

/** Splits a text that is being typed before its last condition, after `and` or `or`. `before` is empty for a single one. */
export function splitLast(text: string): { readonly before: string; readonly last: string } {
  const joints = [...text.matchAll(/(?:^|\s)(?:and|or)\s+/gi)].toReversed();
  const found = joints.find(({ index }) => {
    const before = text.slice(0, index);
    return before === '' || !(isInQuotes(before) || 'problem' in readTyped(before));
  });
  const at = found === undefined ? 0 : found.index + found[0].length;
  return { before: text.slice(0, at), last: text.slice(at) };
}

const isInQuotes = (before: string) => (before.match(/(?<!\\)"/g) ?? []).length % 2 === 1;

function split(text: string, joint: Part['joint'], isKnown: (path: string) => boolean): readonly Part[] {
  for (const found of text.matchAll(/\s(and|or)\s+/gi)) {
    const before = text.slice(0, found.index);
    const after = text.slice(found.index + found[0].length);
    if (isInQuotes(before) || 'problem' in readTyped(before)) continue;
    const { path, operator } = splitTyped(after);
    const isValue = jsonProblem(splitTyped(before).operand ?? '') === undefined;
    if (operator !== undefined && (isValue || isKnown(path)))
      return [{ joint, text: before }, ...split(after, jointOf(found[1]), isKnown)];
  }
  return [{ joint, text }];
}

const jointOf = (typed: string | undefined) => (typed?.toLowerCase() === 'or' ? 'or' : 'and');

/** A condition as it would be typed. Reading it gives the same condition. */
export function writeTyped({ path, operator, operand }: Condition): string {
  const name = word.exec(path)?.[0] === path && !path.startsWith('"') ? path : JSON.stringify(path);
  const sign = operatorNamed(operator)?.sign ?? `?${operator}`;
  return operator === 'exists' && operand === 'true' ? `${name} ${sign}` : `${name} ${sign} ${operand}`;
}

function operandOf(operator: Operator, text: string): string | { readonly problem: string } {
  if (operator.operand === 'none') return text === 'false' ? 'false' : 'true';
  if (text === '') return { problem: `${operator.help} … what?` };
  if (operator.operand === 'text') {
    return text.startsWith('"') && jsonProblem(text) === undefined ? text : JSON.stringify(text);
  }
  if (operator.operand === 'value') return jsonOf(text);
  if (jsonProblem(text) === undefined && kindOf(text) === 'list') return compact(text);
  const parts = operator.operand === 'range' ? text.split(/\s*(?:\.\.|…| and )\s*/) : text.split(/\s*,\s*/);
  if (operator.operand === 'range' && parts.length !== 2) return { problem: 'A range has two ends: 1..5' };
  return `[${parts.map(jsonOf).join(',')}]`;
}

/** JSON as it was typed, numbers digit by digit; everything else is a string. */
function jsonOf(text: string): string {
  return jsonProblem(text) === undefined ? compact(text) : JSON.stringify(text);
}

function unquote(text: string): string {
  return text.startsWith('"') && jsonProblem(text) === undefined ? (JSON.parse(text) as string) : text;
}

/** Whether a sign made of letters is a word of its own: `in` does not begin `inside`. */
function endsThere(sign: string, text: string): boolean {
  return !/\w$/.test(sign) || !/^[\w~-]/.test(text.slice(sign.length));
}
