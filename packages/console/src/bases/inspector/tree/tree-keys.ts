import type { MoreNode, TreeNode } from './tree-nodes.js';

interface TreeStep {
  /** The node that becomes the active one. */
  readonly to: number;
  /** Whether the active node is opened or closed; absent if it stays. */
  readonly toggle?: boolean | undefined;
}

/** What a key does in a tree, as the ARIA practices say; undefined for another key. */
export function stepInTree(
  key: string,
  nodes: readonly (TreeNode | MoreNode)[],
  at: number,
): TreeStep | undefined {
  const node = nodes[at];
  if (node === undefined) return undefined;
  const isNested = !('left' in node) && node.size > 0;
  const isOpen = !('left' in node) && node.isOpen;
  switch (key) {
    case 'ArrowDown':
      return { to: Math.min(nodes.length - 1, at + 1) };
    case 'ArrowUp':
      return { to: Math.max(0, at - 1) };
    case 'Home':
      return { to: 0 };
    case 'End':
      return { to: nodes.length - 1 };
    case 'ArrowRight':
      if (isNested && !isOpen) return { to: at, toggle: true };
      return { to: isOpen ? at + 1 : at };
    case 'ArrowLeft':
      return isOpen ? { to: at, toggle: false } : { to: parentOf(nodes, at) };
    case 'Enter':
    case ' ':
      return { to: at, toggle: !isOpen };
    default:
      return undefined;
  }
}

/** The node that a node is in; itself at the top. */
function parentOf(nodes: readonly (TreeNode | MoreNode)[], at: number): number {
  const node = nodes[at];
  if (node === undefined) return at;
  const level = 'left' in node ? node.path.length : node.path.length - 1;
  const found = nodes.slice(0, at).findLastIndex((one) => !('left' in one) && one.path.length === level);
  return found === -1 ? at : found;
}
