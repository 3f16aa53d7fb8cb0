import type { Steps } from '../../lib/time-slices.js';
import { missing, PathTree } from '../locate.js';
import { Attribute } from './attribute.js';
import type { Condition } from './condition.js';
import type { Test } from './operators.js';

/** Decides which items a query returns. One item at a time: the state of the evaluation is kept in it. */
export interface Filter {
  /** `item` is a stored item. */
  matches(item: string): boolean;
  /** The same, with a pause between two conditions. */
  matchesInSteps(item: string): Steps<boolean>;
}

interface PreparedCondition {
  /** In the path tree. */
  readonly path: number;
  readonly test: Test;
}

/**
 * Of the objects, one must hold; of an object, all conditions (docs/http.md#query-conditions). What follows from the
 * query alone is worked out here, once for all items.
 */
export function* createFilter(objects: readonly (readonly Condition[])[]): Steps<Filter> {
  const paths = new PathTree();
  const prepared: (readonly PreparedCondition[])[] = [];
  for (const conditions of objects) {
    const tests: PreparedCondition[] = [];
    for (const { segments, operator, operand } of conditions) {
      tests.push({ path: paths.add(segments), test: operator.test(operand) });
      yield;
    }
    prepared.push(tests);
  }
  let json = '';
  let starts = new Int32Array(0);
  let attributes: (Attribute | undefined)[] = [];

  function begin(item: string): void {
    json = item;
    starts = paths.locate(item) as Int32Array<ArrayBuffer>;
    attributes = [];
  }

  function holds({ path, test }: PreparedCondition): boolean {
    const start = starts[path] ?? missing;
    if (start === missing) return test(undefined);
    const attribute = attributes[path] ?? new Attribute(json, start);
    attributes[path] = attribute;
    return test(attribute);
  }

  return {
    matches(item) {
      begin(item);
      return prepared.some((conditions) => conditions.every(holds));
    },

    *matchesInSteps(item) {
      begin(item);
      for (const conditions of prepared) {
        let isMatch = true;
        for (const condition of conditions) {
          yield;
          isMatch = holds(condition);
          if (!isMatch) break;
        }
        if (isMatch) return true;
      }
      return false;
    },
  };
}
