import { kindOf, readAttributes, readElements } from '../../../exact/scan.js';

/** A value within an item, as it is drawn in the tree. */
export interface TreeNode {
  /** Another text for each node: its path as JSON. */
  readonly id: string;
  /** The names and numbers that lead to it. */
  readonly path: readonly (string | number)[];
  readonly json: string;
  /** Values directly in it; 0 for one that has none. */
  readonly size: number;
  readonly isOpen: boolean;
  /** Its place among those beside it, from 1 on, and their number. */
  readonly place: number;
  readonly of: number;
}

/** What stands in place of the values of a large list or object that are not shown yet. */
export interface MoreNode {
  readonly id: string;
  readonly path: readonly (string | number)[];
  readonly left: number;
}

/** Values directly in another one that are shown at a time. */
export const shownAtOnce = 100;

interface TreeState {
  /** The nodes that are open, by their ids. */
  readonly open: ReadonlySet<string>;
  /** How many values of a node are shown, if they are more than at first. */
  readonly shown: ReadonlyMap<string, number>;
}

const idOf = (path: TreeNode['path']) => JSON.stringify(path);

/** The nodes of an item that are in view, from the top: what is in a closed one is not read. */
export function treeNodes(json: string, state: TreeState): readonly (TreeNode | MoreNode)[] {
  return below(json, [], state);
}

function below(json: string, path: TreeNode['path'], state: TreeState): readonly (TreeNode | MoreNode)[] {
  const all = childrenOf(json);
  const shown = state.shown.get(idOf(path)) ?? shownAtOnce;
  const nodes = all.slice(0, shown).flatMap(([name, child], at): readonly (TreeNode | MoreNode)[] => {
    const own = [...path, name];
    const id = idOf(own);
    const isOpen = state.open.has(id);
    const size = childrenOf(child).length;
    const node = { id, path: own, json: child, size, isOpen, place: at + 1, of: all.length };
    return isOpen ? [node, ...below(child, own, state)] : [node];
  });
  const left = all.length - shown;
  return left > 0 ? [...nodes, { id: `${idOf(path)} more`, path, left }] : nodes;
}

function childrenOf(json: string): readonly (readonly [name: string | number, json: string])[] {
  const kind = kindOf(json);
  if (kind === 'object') return readAttributes(json);
  return kind === 'list' ? readElements(json).map((value, at) => [at, value]) : [];
}

/** The path as queries and updates have it: docs/http.md#attribute-paths */
export function pathText(path: TreeNode['path']): string {
  return path.join('.');
}
