import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { kindOf } from '../../../exact/scan.js';
import { CopyButton } from '../../../ui/copy.js';
import { Icon } from '../../../ui/icon.js';
import { visible, visibleName } from '../../../ui/visible.js';
import { textOf } from '../../edit/text.js';
import { Glyph, Value } from '../../view/value.js';
import { stepInTree } from './tree-keys.js';
import { type MoreNode, pathText, shownAtOnce, type TreeNode, treeNodes } from './tree-nodes.js';

interface TreeTabProps {
  /** The label of the tree. */
  readonly label: string;
  /** The item, with what is staged. */
  readonly json: string;
}

/** An item as a tree: lists and objects open and close, and a path can be copied. It is read only as far as it is open. */
export function TreeTab({ label, json }: TreeTabProps) {
  const id = useId();
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
  const [activeId, setActive] = useState<string>();
  const tree = useRef<HTMLDivElement>(null);
  const nodes = useMemo(() => treeNodes(json, { open, shown }), [json, open, shown]);
  const found = nodes.findIndex((node) => node.id === activeId);
  const at = Math.max(0, found);
  const active = nodes[at];

  function toggle(node: TreeNode | MoreNode, isOpen?: boolean): void {
    if ('left' in node) {
      const parent = JSON.stringify(node.path);
      setShown(new Map(shown).set(parent, (shown.get(parent) ?? shownAtOnce) + shownAtOnce));
      return;
    }
    const next = new Set(open);
    if (isOpen ?? !node.isOpen) next.add(node.id);
    else next.delete(node.id);
    if (node.size > 0) setOpen(next);
  }

  function onKeyDown(event: KeyboardEvent): void {
    const step =
      event.altKey || event.ctrlKey || event.metaKey ? undefined : stepInTree(event.key, nodes, at);
    if (step === undefined) return;
    event.preventDefault();
    if (step.toggle !== undefined && active !== undefined) toggle(active, step.toggle);
    const to = nodes[step.to];
    if (to === undefined) return;
    setActive(to.id);
    tree.current?.children[step.to]?.scrollIntoView({ block: 'nearest' });
  }

  return (
    <div class="tree-tab">
      <div
        ref={tree}
        class="tree"
        role="tree"
        aria-label={label}
        tabIndex={0}
        aria-activedescendant={active === undefined ? undefined : `${id}-${at}`}
        onKeyDown={onKeyDown}
      >
        {nodes.map((node, n) => (
          <TreeLine
            key={node.id}
            id={`${id}-${n}`}
            node={node}
            isActive={n === at}
            onChoose={() => {
              setActive(node.id);
              toggle(node);
            }}
          />
        ))}
      </div>
      {active !== undefined && !('left' in active) && (
        <div class="row tree-foot">
          <code class="clip">{visible(pathText(active.path))}</code>
          <CopyButton text={pathText(active.path)} label="Copy the path" />
          <CopyButton text={textOf(active.json)} label="Copy the value" />
        </div>
      )}
    </div>
  );
}

interface TreeLineProps {
  readonly id: string;
  readonly node: TreeNode | MoreNode;
  readonly isActive: boolean;
  onChoose(): void;
}

function TreeLine({ id, node, isActive, onChoose }: TreeLineProps) {
  const isMore = 'left' in node;
  const level = isMore ? node.path.length + 1 : node.path.length;
  const isNested = !isMore && node.size > 0;
  const name = node.path.at(-1) ?? '';
  return (
    <div
      id={id}
      class={isActive ? 'tree-line active' : 'tree-line'}
      role="treeitem"
      aria-level={level}
      aria-selected={isActive}
      aria-expanded={isNested ? node.isOpen : undefined}
      aria-posinset={isMore ? undefined : node.place}
      aria-setsize={isMore ? undefined : node.of}
      style={{ paddingLeft: `${8 + (level - 1) * 16}px` }}
      onClick={onChoose}
    >
      <span class="tree-sign" aria-hidden="true">
        {isNested && <Icon name={node.isOpen ? 'chevron-down' : 'chevron-right'} size={14} />}
      </span>
      {isMore ? (
        <span class="meta">{node.left} more</span>
      ) : (
        <>
          <span class={typeof name === 'number' ? 'tree-name tree-number' : 'tree-name'}>
            {typeof name === 'number' ? name : visibleName(name)}
          </span>
          <Glyph kind={kindOf(node.json)} />
          {!node.isOpen && <Value json={node.json} />}
        </>
      )}
    </div>
  );
}
