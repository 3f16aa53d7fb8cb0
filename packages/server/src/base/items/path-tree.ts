import {
  backslash,
  comma,
  listEnd,
  listStart,
  objectEnd,
  objectStart,
  quote,
} from '../../json/characters.js';
import { listIndex } from './attribute-path.js';

/**
 * Finds values in stored items without parsing them. Stored items are canonical JSON (see `json/scan.ts`): they have no
 * white space, and each name is written in one way only.
 */

/** The position of a path that has no value in the item. */
export const missing = -1;
/** Before its first walk, a tree has no array of its own: in V8, these are dear to make and to collect. */
const noStarts = new Int32Array(0);
/** The result of a walk that found every path. */
const allFound = -1;
/** With more names than this, a map is faster than comparing each name. */
const fewNames = 4;

/**
 * The paths that continue from one point of an item. A query may have 100,000 nodes, most of them with a single path:
 * such a node takes 80 bytes and its name.
 */
export class PathNode {
  /** The index of the path that ends here. */
  path: number | undefined = undefined;
  /** The next segment as a quoted name, with its node. Canonical JSON writes a name in one way only. */
  private name = '';
  private node: PathNode | undefined = undefined;
  /** The same of the other next segments. */
  private names: string[] | undefined = undefined;
  private nodes: PathNode[] | undefined = undefined;
  private byName: Map<string, PathNode> | undefined = undefined;
  /** The next segments that may be indexes of a list, with their nodes. */
  byIndex: Map<number, PathNode> | undefined = undefined;

  get isLeaf(): boolean {
    return this.node === undefined;
  }

  child(segment: string): PathNode {
    const name = JSON.stringify(segment);
    const present = this.named(name, 0, name.length);
    if (present !== undefined) return present;
    const node = new PathNode();
    this.append(name, node);
    const index = listIndex(segment);
    if (index !== undefined) {
      this.byIndex ??= new Map();
      this.byIndex.set(index, node);
    }
    return node;
  }

  private append(name: string, node: PathNode): void {
    if (this.node === undefined) {
      this.name = name;
      this.node = node;
      return;
    }
    this.names ??= [];
    this.nodes ??= [];
    this.names.push(name);
    this.nodes.push(node);
    if (this.names.length === fewNames) {
      this.byName = new Map(this.names.map((one, n) => [one, this.nodes?.[n] as PathNode]));
    } else {
      this.byName?.set(name, node);
    }
  }

  /** The node of the name from `start` to `end`. */
  named(json: string, start: number, end: number): PathNode | undefined {
    if (end - start === this.name.length && json.startsWith(this.name, start)) return this.node;
    if (this.byName !== undefined) return this.byName.get(json.slice(start, end));
    if (this.names === undefined) return undefined;
    for (let n = 0; n < this.names.length; n++) {
      const name = this.names[n] as string;
      if (end - start === name.length && json.startsWith(name, start)) return this.nodes?.[n];
    }
    return undefined;
  }
}

/** A set of paths. One pass over an item locates all of them. */
export class PathTree {
  private readonly root = new PathNode();
  private count = 0;
  private left = 0;
  private starts = noStarts;
  /** The name and the colon of the only path, if it has one segment. */
  private onlyName: string | undefined = undefined;

  /** `segments` is the path of a tree with a single path; its index is 0. */
  constructor(segments?: readonly string[]) {
    if (segments !== undefined) this.add(segments);
  }

  get size(): number {
    return this.count;
  }

  /** Adds a path. Gives the index of the path in the result of `locate`. */
  add(segments: readonly string[]): number {
    let node = this.root;
    for (const segment of segments) node = node.child(segment);
    node.path ??= this.count++;
    const isOnlyName = this.count === 1 && segments.length === 1;
    this.onlyName = isOnlyName ? `${JSON.stringify(segments[0])}:` : undefined;
    return node.path;
  }

  /** Gives for each path the position where its value begins, or `missing`. The next call overwrites the array. */
  locate(json: string): Int32Array {
    const found = this.startOfOnlyName(json);
    if (found === undefined) return this.walkAll(json);
    if (this.starts.length !== 1) this.starts = new Int32Array(1);
    this.starts[0] = found;
    return this.starts;
  }

  /** The same for a tree with a single path, as a number: a tree for one item needs no array in most cases. */
  locateOnly(json: string): number {
    return this.startOfOnlyName(json) ?? this.walkAll(json)[0] ?? missing;
  }

  /** Undefined if a walk has to find out. */
  private startOfOnlyName(json: string): number | undefined {
    return this.onlyName === undefined ? undefined : startOfMember(json, this.onlyName);
  }

  private walkAll(json: string): Int32Array {
    if (this.starts.length !== this.count) this.starts = new Int32Array(this.count);
    // For a single path, which is the most frequent case, a loop is faster than `fill`.
    for (let path = 0; path < this.count; path++) this.starts[path] = missing;
    this.left = this.count;
    this.walk(json, 0, this.root);
    return this.starts;
  }

  /** Searches the value that begins at `at` for the paths of the node. Gives the end of the value, or `allFound`. */
  private walk(json: string, at: number, node: PathNode): number {
    if (node.path !== undefined) {
      this.starts[node.path] = at;
      if (--this.left === 0) return allFound;
    }
    if (node.isLeaf) return skipValue(json, at);
    const first = json.charCodeAt(at);
    if (first === objectStart) return this.walkObject(json, at, node);
    if (first === listStart && node.byIndex !== undefined) return this.walkList(json, at, node.byIndex);
    return skipValue(json, at);
  }

  private walkObject(json: string, start: number, node: PathNode): number {
    let at = start + 1;
    if (json.charCodeAt(at) === objectEnd) return at + 1;
    for (;;) {
      const nameEnd = skipString(json, at);
      const child = node.named(json, at, nameEnd);
      const end = child === undefined ? skipValue(json, nameEnd + 1) : this.walk(json, nameEnd + 1, child);
      if (end === allFound) return allFound;
      at = end + 1;
      if (json.charCodeAt(end) !== comma) return at;
    }
  }

  private walkList(json: string, start: number, nodes: ReadonlyMap<number, PathNode>): number {
    let at = start + 1;
    if (json.charCodeAt(at) === listEnd) return at + 1;
    for (let index = 0; ; index++) {
      const child = nodes.get(index);
      const end = child === undefined ? skipValue(json, at) : this.walk(json, at, child);
      if (end === allFound) return allFound;
      at = end + 1;
      if (json.charCodeAt(end) !== comma) return at;
    }
  }
}

/**
 * The position of the value of a member of an item, `missing`, or undefined if a walk has to find out. Two native
 * searches take a third of the time of a walk over the four members before it.
 *
 * Canonical JSON escapes each quote in a string. So a name with its quotes and its colon is nowhere but where a member
 * has it, apart from a longer name that has an escaped quote before it. It is a member of the item itself if no other
 * object begins before it.
 */
function startOfMember(json: string, nameAndColon: string): number | undefined {
  const at = json.indexOf(nameAndColon);
  if (at === -1) return json.charCodeAt(0) === objectStart ? missing : undefined;
  const before = json.charCodeAt(at - 1);
  if (before !== comma && at !== 1) return undefined;
  const other = json.indexOf('{', 1);
  return other !== -1 && other < at ? undefined : at + nameAndColon.length;
}

/** Gives the end of the string that begins at `at`. */
export function skipString(json: string, at: number): number {
  let next = json.indexOf('"', at + 1);
  while (isEscaped(json, next)) next = json.indexOf('"', next + 1);
  return next + 1;
}

/** Whether the character at `at` is escaped. A backslash that is itself escaped does not escape the next character. */
function isEscaped(json: string, at: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(at - 1 - backslashes) === backslash) backslashes++;
  return backslashes % 2 === 1;
}

/** Gives the end of the value that begins at `at`. */
export function skipValue(json: string, at: number): number {
  const first = json.charCodeAt(at);
  if (first === quote) return skipString(json, at);
  if (first === objectStart || first === listStart) return skipContainer(json, at);
  let next = at;
  for (; next < json.length; next++) {
    const char = json.charCodeAt(next);
    if (char === comma || char === objectEnd || char === listEnd) break;
  }
  return next;
}

function skipContainer(json: string, at: number): number {
  let depth = 0;
  for (let next = at; ; ) {
    const char = json.charCodeAt(next);
    if (char === quote) {
      next = skipString(json, next);
      continue;
    }
    next++;
    if (char === objectStart || char === listStart) depth++;
    else if ((char === objectEnd || char === listEnd) && --depth === 0) return next;
  }
}
