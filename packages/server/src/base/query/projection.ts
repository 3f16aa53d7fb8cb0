import type { JsonValue } from '../../json/value.js';
import type { Steps } from '../../lib/time-slices.js';
import { badRequest } from '../../request-error.js';
import { listIndex, parseAttributePath } from '../attribute-path.js';
import { maxSelectedPaths } from '../limits.js';
import { skipString, skipValue } from '../locate.js';

/** Gives the selected attributes of a stored item, each in its place (docs/http.md#selected-attributes). */
export type Projection = (item: string) => string;

const comma = 0x2c;
const listStart = 0x5b;
const listEnd = 0x5d;
const objectStart = 0x7b;
const objectEnd = 0x7d;
const pathsPerStep = 16;

/** The selected part of a value: all of it, or some members or elements. */
interface Selection {
  isWhole: boolean;
  /** The selected members by their quoted names. Canonical JSON writes a name in one way only. */
  readonly members: Map<string, Selection>;
  readonly elements: Map<number, Selection>;
}

/**
 * Reads the member `select` of a query. Gives undefined for null, which selects whole items. Throws a 400
 * `RequestError`.
 */
export function* readSelect(select: JsonValue): Steps<Projection | undefined> {
  if (select === null) return undefined;
  if (!Array.isArray(select)) throw badRequest('select: must be a list of attribute paths');
  if (select.length > maxSelectedPaths) {
    throw badRequest(`select: has ${select.length} paths, at most ${maxSelectedPaths}`);
  }
  const root = newSelection();
  add(root, ['key']);
  for (const [index, path] of select.entries()) {
    if (typeof path !== 'string') throw badRequest(`select[${index}]: must be an attribute path`);
    const segments = parseAttributePath(path);
    if ('problem' in segments) throw badRequest(`select[${index}]: the attribute path ${segments.problem}`);
    add(root, segments);
    if (index % pathsPerStep === 0) yield;
  }
  // The key is always selected, so the result is never empty.
  return (item) => new Picker(item).object(0, root) ?? '{}';
}

function newSelection(): Selection {
  return { isWhole: false, members: new Map(), elements: new Map() };
}

function add(root: Selection, segments: readonly string[]): void {
  let selection = root;
  for (const segment of segments) {
    const name = JSON.stringify(segment);
    let next = selection.members.get(name);
    if (next === undefined) {
      next = newSelection();
      selection.members.set(name, next);
      const index = listIndex(segment);
      if (index !== undefined) selection.elements.set(index, next);
    }
    selection = next;
  }
  selection.isWhole = true;
}

class Picker {
  /** The end of the value that was read last. */
  private end = 0;

  constructor(private readonly json: string) {}

  /** Gives the selected part of a value, or undefined if nothing of it is selected. */
  private value(at: number, selection: Selection | undefined): string | undefined {
    const first = this.json.charCodeAt(at);
    if (selection !== undefined && !selection.isWhole) {
      if (first === objectStart) return this.object(at, selection);
      if (first === listStart && selection.elements.size > 0) return this.list(at, selection);
    }
    this.end = skipValue(this.json, at);
    return selection?.isWhole ? this.json.slice(at, this.end) : undefined;
  }

  object(start: number, { members }: Selection): string | undefined {
    const { json } = this;
    let picked = '';
    let at = start + 1;
    if (json.charCodeAt(at) === objectEnd) this.end = at;
    else {
      for (;;) {
        const nameEnd = skipString(json, at);
        const name = json.slice(at, nameEnd);
        const text = this.value(nameEnd + 1, members.get(name));
        if (text !== undefined) picked += `${picked === '' ? '' : ','}${name}:${text}`;
        if (json.charCodeAt(this.end) !== comma) break;
        at = this.end + 1;
      }
    }
    this.end++;
    return picked === '' ? undefined : `{${picked}}`;
  }

  private list(start: number, { elements }: Selection): string | undefined {
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
