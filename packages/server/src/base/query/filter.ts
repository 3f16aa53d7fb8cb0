import { runAtOnce, type Steps } from '../../lib/concurrency/time-slices.js';
import { missing, PathTree } from '../items/path-tree.js';
import { Attribute } from './attribute.js';
import type { Condition } from './condition.js';
import type { Test } from './operators.js';

/** Decides which items a query returns. Several requests may use a filter at the same time. */
export interface Filter {
  /** Whether a stored item matches. */
  matches(item: string): boolean;
  /** Like `matches`, with a possible pause between two conditions, and within long comparisons. */
  matchesInSteps(item: string): Steps<boolean>;
  /** What it costs to compare an item with all operands: see `operandBytesOf`. */
  readonly comparedBytes: number;
}

interface PreparedCondition {
  /** The index of the path. */
  readonly index: number;
  readonly test: Test;
}

/** How many bytes of operands are made into tests in one step. Each test costs some bytes more, whatever its operand. */
const bytesPerStep = 64 * 1024;
const bytesOfTest = 4 * 1024;
/**
 * Up to this many paths are located one by one, each when a condition first needs it. More paths are located together,
 * in one pass.
 */
const fewPaths = 4;

/**
 * Makes the filter of a query. An item matches if all conditions of at least one object are true
 * (docs/http.md#query-conditions). Everything that depends only on the query is computed here, once for all items.
 */
export function* createFilter(objects: readonly (readonly Condition[])[]): Steps<Filter> {
  const paths = new PathTree();
  const prepared: (readonly PreparedCondition[])[] = [];
  const single: PathTree[] = [];
  let comparedBytes = 0;
  let bytes = 0;
  for (const conditions of objects) {
    const tests: PreparedCondition[] = [];
    for (const { segments, operator, operand, operandBytes, ...condition } of conditions) {
      const index = paths.add(segments);
      tests.push({ index, test: operator.test(operand) });
      if (index === single.length && index < fewPaths) single.push(new PathTree(segments));
      comparedBytes += condition.comparedBytes;
      bytes += bytesOfTest + operandBytes;
      if (bytes < bytesPerStep) continue;
      bytes = 0;
      yield;
    }
    prepared.push(tests);
  }
  const located: LocatedPaths = { paths, single: paths.size <= fewPaths ? single : undefined };
  // What is over at once needs no evaluation of its own.
  const atOnce = new Evaluation(located, false);
  const holds = ({ index, test }: PreparedCondition) => {
    const held = test(atOnce.attribute(index));
    return typeof held === 'boolean' ? held : runAtOnce(held);
  };

  return {
    comparedBytes,

    matches(item) {
      atOnce.begin(item);
      for (const conditions of prepared) if (conditions.every(holds)) return true;
      return false;
    },

    matchesInSteps: (item) => evaluateInSteps(item, prepared, located),
  };
}

/**
 * Not within `createFilter`: a generator function that is made anew has a prototype and a hidden class of its own, which V8
 * keeps, with all that they refer to, until it collects all garbage. An update with a condition needs a filter once.
 */
function* evaluateInSteps(
  item: string,
  prepared: readonly (readonly PreparedCondition[])[],
  located: LocatedPaths,
): Steps<boolean> {
  const evaluation = new Evaluation(located, true);
  evaluation.begin(item);
  for (const conditions of prepared) {
    let isMatch = true;
    for (const { index, test } of conditions) {
      yield;
      const held = test(evaluation.attribute(index));
      isMatch = typeof held === 'boolean' ? held : yield* held;
      if (!isMatch) break;
    }
    if (isMatch) return true;
  }
  return false;
}

/** The paths of a filter, together and, if they are few, one by one. */
interface LocatedPaths {
  readonly paths: PathTree;
  readonly single: readonly PathTree[] | undefined;
}

/** What is known of one item while it is compared. */
class Evaluation {
  private json = '';
  private starts: Int32Array | undefined;
  /** The attributes by the indexes of their paths; null for a path that has no value in the item. */
  private readonly attributes: (Attribute | null | undefined)[];

  /** `isPaused`: whether others may locate the same paths before this is over. */
  constructor(
    private readonly located: LocatedPaths,
    private readonly isPaused: boolean,
  ) {
    this.attributes = Array(located.paths.size).fill(undefined);
  }

  begin(item: string): void {
    this.json = item;
    this.starts = undefined;
    const { attributes } = this;
    for (let index = 0; index < attributes.length; index++) attributes[index] = undefined;
  }

  attribute(index: number): Attribute | undefined {
    const known = this.attributes[index];
    if (known !== undefined) return known ?? undefined;
    const start = this.startOf(index);
    const attribute = start === undefined || start === missing ? null : new Attribute(this.json, start);
    this.attributes[index] = attribute;
    return attribute ?? undefined;
  }

  private startOf(index: number): number | undefined {
    const { paths, single } = this.located;
    if (single !== undefined) return single[index]?.locateOnly(this.json);
    this.starts ??= this.isPaused ? paths.locate(this.json).slice() : paths.locate(this.json);
    return this.starts[index];
  }
}
