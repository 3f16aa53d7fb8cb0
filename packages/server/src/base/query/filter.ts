import { runAtOnce, type Steps } from '../../lib/concurrency/time-slices.js';
import { missing, PathTree } from '../items/path-tree.js';
import { Attribute } from './attribute.js';
import type { Condition } from './condition.js';
import type { Test } from './operators.js';

/**
 * Decides which items a query returns. A filter keeps the state of an evaluation, so it evaluates one item at a time.
 */
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
  const isFew = paths.size <= fewPaths;
  let json = '';
  let starts: Int32Array | undefined;
  /** The attributes by the indexes of their paths; null for a path that has no value in the item. */
  const attributes: (Attribute | null | undefined)[] = Array(paths.size).fill(undefined);

  function begin(item: string): void {
    json = item;
    starts = undefined;
    for (let index = 0; index < attributes.length; index++) attributes[index] = undefined;
  }

  function attributeOf(index: number): Attribute | undefined {
    const known = attributes[index];
    if (known !== undefined) return known ?? undefined;
    let start: number | undefined;
    if (isFew) {
      start = single[index]?.locate(json)[0];
    } else {
      starts ??= paths.locate(json);
      start = starts[index];
    }
    const attribute = start === undefined || start === missing ? null : new Attribute(json, start);
    attributes[index] = attribute;
    return attribute ?? undefined;
  }

  const compare = ({ index, test }: PreparedCondition) => test(attributeOf(index));
  const holds = ({ index, test }: PreparedCondition) => {
    const held = test(attributeOf(index));
    return typeof held === 'boolean' ? held : runAtOnce(held);
  };

  return {
    comparedBytes,

    matches(item) {
      begin(item);
      for (const conditions of prepared) if (conditions.every(holds)) return true;
      return false;
    },

    *matchesInSteps(item) {
      begin(item);
      for (const conditions of prepared) {
        let isMatch = true;
        for (const condition of conditions) {
          yield;
          const held = compare(condition);
          isMatch = typeof held === 'boolean' ? held : yield* held;
          if (!isMatch) break;
        }
        if (isMatch) return true;
      }
      return false;
    },
  };
}
