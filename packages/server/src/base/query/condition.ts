import type { JsonValue } from '../../json/value.js';
import { badQuery } from '../../request-error.js';
import { parseAttributePath, shownPath } from '../items/attribute-path.js';
import { operandBytesOf } from './operand-bytes.js';
import { findOperator, type Operator } from './operators.js';

/** A condition: `path?operator`, and an operand of a type that the operator takes. */
export interface Condition {
  /** The condition as the query has it, for messages. */
  readonly text: string;
  readonly segments: readonly string[];
  readonly operator: Operator;
  readonly operand: JsonValue;
  /** What it costs to read the operand: see `operandBytesOf`. */
  readonly operandBytes: number;
  /** What it costs to compare an item with it. */
  readonly comparedBytes: number;
}

/** Reads one member of a query object. Throws the 400 of a bad query (docs/http.md#bad-queries). */
export function readCondition(written: string, operand: JsonValue): Condition {
  const at = written.lastIndexOf('?');
  const path = at === -1 ? written : written.slice(0, at);
  const spelling = at === -1 ? undefined : written.slice(at + 1);
  const operator = findOperator(spelling);
  const text = shownPath(written);
  if (operator === undefined) {
    throw spelling === ''
      ? badQuery(text, 'empty', 'the operator is empty')
      : badQuery(text, 'unknown_operator', `there is no operator ${shownPath(spelling ?? '')}`);
  }
  const segments = parseAttributePath(path);
  if ('problem' in segments) {
    const { code, rule } = segments.problem;
    throw badQuery(JSON.stringify(text), code, `the attribute path ${rule}`);
  }
  const problem = operator.operandProblem(operand);
  if (problem !== undefined) throw badQuery(text, problem.code, problem.rule);
  const operandBytes = operandBytesOf(operand);
  const comparedBytes = operator.comparedBytes?.(operand) ?? operandBytes;
  return { text, segments, operator, operand, operandBytes, comparedBytes };
}
