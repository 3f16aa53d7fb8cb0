import type { TextRow } from '../../engines/item-store.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import { owned } from '../../lib/text/owned.js';
import { skipString, skipValue } from '../items/path-tree.js';
import { AttributeTally, type AttributeType } from './attribute-tally.js';

/** The maximum number of items that are read, and of their characters (docs/http.md#profile). */
const maxItems = 20_000;
const maxCharacters = 32 * 1024 * 1024;
const maxAttributes = 200;
/** Objects within objects. */
const maxDepth = 4;
const itemsPerStep = 64;
const objectStart = '{';
const topLevel = { path: '', depth: 1 };

/** A node of the tree of attributes. */
interface Node {
  readonly tally: AttributeTally;
  readonly members: Members;
}

/** By the JSON of their names. */
type Members = Map<string, Node>;

/** What the items of a base have in common: which attributes, of which types, with which values. */
export class Profile {
  private items = 0;
  private characters = 0;
  private readonly members: Members = new Map();
  private readonly tallies: AttributeTally[] = [];
  private isCut = false;
  /** How many there may be after the items that are added now. */
  private until = { items: maxItems, characters: maxCharacters };

  /** Leaves room for as many items from other places: `left` is the number of places with the next one. */
  share(left: number): void {
    const partOf = (max: number, used: number) => used + Math.ceil((max - used) / left);
    this.until = {
      items: partOf(maxItems, this.items),
      characters: partOf(maxCharacters, this.characters),
    };
  }

  /** Adds items until there are enough. Gives whether there was room for all of them. */
  *add(rows: readonly TextRow[]): Steps<boolean> {
    for (const { text } of rows) {
      if (this.items >= this.until.items || this.characters >= this.until.characters) return false;
      if (++this.items % itemsPerStep === 0 || text.length > 16 * 1024) yield;
      this.characters += text.length;
      this.addObject(text, 0, this.members);
    }
    return true;
  }

  /**
   * The JSON of the answer. `isComplete`: whether there were no other items. `places`: from how many places they were
   * read.
   */
  json({ isComplete, places }: { readonly isComplete: boolean; readonly places: number }): string {
    const attributes = this.tallies.toSorted((a, b) => b.items - a.items).map((tally) => tally.json());
    const flags = `"complete":${isComplete},"places":${places},"all_attributes":${!this.isCut}`;
    return `{"items":${this.items},${flags},"attributes":[${attributes}]}`;
  }

  /** Adds the object that begins at `start`: the item, or a value of it with this path, `address.`, so deep in it. */
  private addObject(json: string, start: number, members: Members, { path, depth } = topLevel): void {
    let at = start + 1;
    while (json[at] === '"') {
      const nameEnd = skipString(json, at);
      const end = skipValue(json, nameEnd + 1);
      const node = this.nodeOf(members, json.slice(at, nameEnd), path);
      if (node !== undefined) {
        const valueAt = nameEnd + 1;
        const type = typeAt(json, valueAt);
        const isSmall = type !== 'list' && type !== 'object';
        node.tally.add(type, isSmall ? json.slice(valueAt, end) : '');
        if (type === 'object' && depth < maxDepth)
          this.addObject(json, valueAt, node.members, { path: `${node.tally.path}.`, depth: depth + 1 });
      }
      at = end + 1;
    }
  }

  private nodeOf(members: Members, name: string, path: string): Node | undefined {
    const known = members.get(name);
    if (known !== undefined) return known;
    const text = JSON.parse(name) as string;
    // No path reaches such an attribute (docs/http.md#attribute-paths).
    const isReached = text !== '' && !text.includes('.');
    if (!isReached || this.tallies.length === maxAttributes) {
      this.isCut ||= isReached;
      return undefined;
    }
    const node = { tally: new AttributeTally(path + text), members: new Map() };
    this.tallies.push(node.tally);
    members.set(owned(name), node);
    return node;
  }
}

function typeAt(json: string, at: number): AttributeType {
  switch (json[at]) {
    case objectStart:
      return 'object';
    case '[':
      return 'list';
    case '"':
      return 'string';
    case 't':
    case 'f':
      return 'boolean';
    case 'n':
      return 'null';
    default:
      return 'number';
  }
}
