import { comma, listEnd, listStart, objectEnd, objectStart } from '../../json/characters.js';
import type { JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { badField, type RequestError } from '../../request-error.js';
import { segmentsOf } from '../items/attribute-path.js';
import { PathNode, skipString, skipValue } from '../items/path-tree.js';
import { maxSelectedPaths } from '../limits.js';

/** Gives the selected attributes of a stored item, each in its place (docs/http.md#selected-attributes). */
export type Projection = (item: string) => string;

const pathsPerStep = 16;

/**
 * Reads the member `select` of a query. Gives undefined for null, which selects whole items. Throws a 400
 * `RequestError`.
 */
export function* readSelect(select: JsonValue): Steps<Projection | undefined> {
  if (select === null) return undefined;
  if (!Array.isArray(select)) throw badField('select', 'wrong_type', 'must be a list of attribute paths');
  if (select.length > maxSelectedPaths) throw tooManySelected();
  const root = new PathNode();
  add(root, ['key']);
  for (const [index, path] of select.entries()) {
    add(root, segmentsOf(path, `select[${index}]`));
    if (index % pathsPerStep === 0) yield;
  }
  // The key is always selected, so the result is never empty.
  return (item) => new Picker(item).object(0, root) ?? '{}';
}

export function tooManySelected(): RequestError {
  return badField('select', 'too_many', `has more than ${maxSelectedPaths} paths`);
}

function add(root: PathNode, segments: readonly string[]): void {
  let node = root;
  for (const segment of segments) node = node.child(segment);
  node.path = 0;
}

function isWhole({ path }: PathNode): boolean {
  return path !== undefined;
}

/** Where a path ends, the whole value is selected. */
class Picker {
  /** The end of the value that was read last. */
  private end = 0;

  constructor(private readonly json: string) {}

  /** Gives the selected part of a value, or undefined if nothing of it is selected. */
  private value(at: number, selected: PathNode | undefined): string | undefined {
    const first = this.json.charCodeAt(at);
    if (selected !== undefined && !isWhole(selected)) {
      if (first === objectStart) return this.object(at, selected);
      if (first === listStart && selected.byIndex !== undefined) return this.list(at, selected.byIndex);
    }
    this.end = skipValue(this.json, at);
    return selected !== undefined && isWhole(selected) ? this.json.slice(at, this.end) : undefined;
  }

  object(start: number, selected: PathNode): string | undefined {
    const { json } = this;
    let picked = '';
    let at = start + 1;
    if (json.charCodeAt(at) === objectEnd) this.end = at;
    else {
      for (;;) {
        const nameEnd = skipString(json, at);
        const text = this.value(nameEnd + 1, selected.named(json, at, nameEnd));
        if (text !== undefined) picked += `${picked === '' ? '' : ','}${json.slice(at, nameEnd)}:${text}`;
        if (json.charCodeAt(this.end) !== comma) break;
        at = this.end + 1;
      }
    }
    this.end++;
    return picked === '' ? undefined : `{${picked}}`;
  }

  private list(start: number, elements: ReadonlyMap<number, PathNode>): string | undefined {
    const { json } = this;
    let picked = '';
    let at = start + 1;
    if (json.charCodeAt(at) === listEnd) this.end = at;
    else {
      for (let index = 0; ; index++) {
        const text = this.value(at, elements.get(index));
        if (text !== undefined) picked += `${picked === '' ? '' : ','}${text}`;
        if (json.charCodeAt(this.end) !== comma) break;
        at = this.end + 1;
      }
    }
    this.end++;
    return picked === '' ? undefined : `[${picked}]`;
  }
}
