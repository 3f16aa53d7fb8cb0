import { useEffect, useState } from 'preact/hooks';
import { explain, isAborted } from '../../api/errors.js';
import { stepTo } from '../../router.js';
import { Button, IconButton } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { Form } from '../../ui/form.js';
import { formatCount } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { Problem } from '../../ui/problem.js';
import { TextInput } from '../../ui/text-field.js';
import { tellFailure } from '../../ui/toast.js';
import { visible } from '../../ui/visible.js';
import type { BaseView } from '../base-view.js';
import { hasKeyCondition, withPrefix } from '../query/key-range.js';
import type { KeyGroup } from './group.js';
import { countPrefix, groupKeys } from './prefixes.js';

interface KeysDialogProps {
  readonly view: BaseView;
  onClose(): void;
}

/** Groups that are read at a time. */
const pageSize = 40;
/** Typing is over after this time, so that not every character asks the service. */
const settleMs = 250;

/** The keys of a base by their beginnings. It leads to a key, or shows a group alone. */
export function KeysDialog({ view, onClose }: KeysDialogProps) {
  const { base } = view;
  const { onJump, onPrefix, onSearch } = waysFrom(view, onClose);
  const [text, setText] = useState('');
  const [prefix, setPrefix] = useState('');
  const [shown, setShown] = useState(pageSize);
  const { groups, counts, isComplete, problem } = useGroups(base, prefix, shown);

  useEffect(() => {
    const timer = setTimeout(() => {
      setPrefix(text);
      setShown(pageSize);
    }, settleMs);
    return () => clearTimeout(timer);
  }, [text]);

  const isSettled = text === prefix;
  const isNone = isSettled && isComplete && groups.length === 0;

  /** Goes on only if a key begins so. Enter may come before the groups of what was typed are read. */
  async function leave(to: (text: string) => void): Promise<void> {
    if (text === '' || isNone) return;
    try {
      const { done } = await groupKeys(base, text, new AbortController().signal).next();
      if (done === true) setPrefix(text);
      else to(text);
    } catch (cause) {
      tellFailure(cause);
    }
  }

  return (
    <Dialog
      title="Find a key"
      onClose={onClose}
      actions={
        <>
          <Button
            text="Only this prefix"
            disabled={text === '' || isNone}
            onClick={() => void leave(onPrefix)}
          />
          <Button
            text="Go to key"
            variant="primary"
            disabled={text === '' || isNone}
            onClick={() => void leave(onJump)}
          />
        </>
      }
    >
      <Form onSubmit={() => void leave(onJump)}>
        <p class="hint">
          This finds keys by their beginning, in exact case. The filter above the items finds values.
        </p>
        <TextInput
          class="input mono"
          aria-label="Key, or the beginning of one"
          placeholder="Key, or the beginning of one"
          value={text}
          onInput={setText}
        />
        <GroupList
          groups={groups}
          counts={counts}
          prefix={prefix}
          isBusy={!isSettled}
          onOpen={(group) => (group.isPrefix ? setText(group.text) : onJump(group.text))}
          onPrefix={onPrefix}
        />
        {groups.length === 0 && (
          <p class="hint" role="status">
            {isNone ? 'No key begins with this.' : 'Reading …'}
          </p>
        )}
        {isNone && text !== '' && (
          <div>
            <Button text="Search the values for it" icon="search" onClick={() => onSearch(text)} />
          </div>
        )}
        {!isComplete && groups.length >= shown && (
          <div>
            <Button text="More" variant="quiet" onClick={() => setShown(shown + pageSize)} />
          </div>
        )}
        <Problem text={problem} />
      </Form>
    </Dialog>
  );
}

/** Where the dialog leads. */
function waysFrom({ request: { query }, search }: BaseView, onClose: () => void) {
  return {
    /** Shows the list from a key on. */
    onJump(key: string): void {
      stepTo({ from: key, order: '', query: hasKeyCondition(query) ? '' : query });
      onClose();
    },
    /** Shows only the keys with a prefix. */
    onPrefix(prefix: string): void {
      stepTo({ from: '', query: withPrefix(query, prefix) });
      onClose();
    },
    /** Searches a text in the values instead. */
    onSearch(text: string): void {
      onClose();
      search.value = text;
    },
  };
}

interface GroupListProps {
  readonly groups: readonly KeyGroup[];
  readonly counts: ReadonlyMap<string, number>;
  readonly prefix: string;
  readonly isBusy: boolean;
  onOpen(group: KeyGroup): void;
  onPrefix(prefix: string): void;
}

function GroupList({ groups, counts, prefix, isBusy, onOpen, onPrefix }: GroupListProps) {
  return (
    <ul class="key-groups" aria-label="Groups of keys" aria-busy={isBusy}>
      {groups.map((group) => (
        <GroupRow
          key={group.text}
          group={group}
          prefix={prefix}
          count={counts.get(group.text)}
          onOpen={() => onOpen(group)}
          onPrefix={() => onPrefix(group.text)}
        />
      ))}
    </ul>
  );
}

interface GroupRowProps {
  readonly group: KeyGroup;
  readonly prefix: string;
  readonly count: number | undefined;
  onOpen(): void;
  onPrefix(): void;
}

function GroupRow({ group: { text, isPrefix }, prefix, count, onOpen, onPrefix }: GroupRowProps) {
  return (
    <li class="key-group">
      <button type="button" class="key-group-name" title={visible(text)} onClick={onOpen}>
        <Icon name={isPrefix ? 'folder' : 'file'} />
        <span class="mono clip">
          <span class="key-group-before">{visible(prefix)}</span>
          {visible(text.slice(prefix.length))}
          {isPrefix && '…'}
        </span>
      </button>
      {isPrefix && (
        <>
          <span class="meta">{count === undefined ? '…' : formatCount(count)}</span>
          <IconButton icon="filter" label={`Show only ${visible(text)}…`} onClick={onPrefix} />
        </>
      )}
    </li>
  );
}

/** The first groups of a prefix, and then how many keys each has, one after the other. */
function useGroups(base: string, prefix: string, wanted: number) {
  const [groups, setGroups] = useState<readonly KeyGroup[]>([]);
  const [counts, setCounts] = useState<ReadonlyMap<string, number>>(new Map());
  const [isComplete, setComplete] = useState(false);
  const [problem, setProblem] = useState('');

  useEffect(() => {
    const ended = new AbortController();
    async function read(): Promise<void> {
      const found: KeyGroup[] = [];
      setComplete(false);
      setProblem('');
      const all = groupKeys(base, prefix, ended.signal);
      let isEnd = false;
      while (found.length < wanted && !isEnd) {
        const { value, done } = await all.next();
        if (value !== undefined) found.push(value);
        isEnd = done === true;
        if (!isEnd && found.length % 10 === 0) setGroups([...found]);
      }
      setGroups(found);
      setComplete(isEnd);
      for (const { text, isPrefix } of found) {
        if (!isPrefix) continue;
        const count = await countPrefix(base, text, ended.signal);
        setCounts((known) => new Map(known).set(text, count));
      }
    }
    read().catch((cause) => {
      if (!isAborted(cause)) setProblem(explain(cause));
    });
    return () => ended.abort();
  }, [base, prefix, wanted]);
  return { groups, counts, isComplete, problem };
}
