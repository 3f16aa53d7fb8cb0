import { useId, useState } from 'preact/hooks';
import { explain } from '../../../api/errors.js';
import { ActDialog } from '../../../ui/act-dialog.js';
import { Button } from '../../../ui/button.js';
import { countOf } from '../../../ui/format.js';
import { tellFailure } from '../../../ui/toast.js';
import { useRead } from '../../../ui/use-read.js';
import { countMatches } from '../../base-api.js';
import type { BaseView, UpdateTarget } from '../../base-view.js';
import { openInTurn } from '../../open-in-turn.js';
import { everything } from '../../query/model.js';
import type { Column } from '../../view/columns.js';
import { maxUndo, readMatches } from '../matches.js';
import { ChangeRow, readChange, type TypedChange } from './change-row.js';
import { type Change, changesProblem } from './changes.js';
import { UpdateExample } from './update-example.js';
import { type UpdateResult, updateFew, updateMany } from './update-items.js';

interface UpdateDialogProps {
  readonly view: BaseView;
  readonly target: UpdateTarget;
  onClose(): void;
}

/** Names that are offered. */
const maxNames = 100;

/** Asks what to change in many items, shows what becomes of one of them and how many they are, and does it. */
export function UpdateDialog({ view, target, onClose }: UpdateDialogProps) {
  const { base, listing, selection } = view;
  const [typed, setTyped] = useState<readonly TypedChange[]>([blank(0)]);
  const { count, problem } = useCount(base, target);
  const { changes, wrong } = readChanges(typed);
  const isTouched = typed.some(({ path, text }) => path !== '' || text !== '');
  const canUndo = count !== undefined && count <= maxUndo;

  function begin(total: number): Promise<UpdateResult> {
    const update = { base, changes };
    const onTakenBack = () => view.shown().refresh();
    if ('count' in target) return updateFew(update, { query: undefined, read: target.read }, onTakenBack);
    const { query } = target;
    const read = (signal: AbortSignal) => readMatches(base, query, signal);
    return canUndo ? updateFew(update, { query, read }, onTakenBack) : updateMany(update, query, total);
  }

  function start(): void {
    if (wrong !== undefined || count === undefined) return;
    onClose();
    void follow(view, begin(count));
  }

  // One of the items, to show what becomes of it.
  const keys = selection.keys.peek();
  const example = listing.rows.value.sample(maxUndo).find(({ key }) => !('count' in target) || keys.has(key));

  return (
    <ActDialog
      title={titleOf(target, count)}
      form="wide"
      verb={count === undefined ? 'Update' : `Update ${countOf(count, 'item')}`}
      isReady={wrong === undefined && count !== undefined && count > 0}
      task={{ busy: false, problem }}
      onAct={start}
      onClose={onClose}
    >
      <p class="hint">
        {'count' in target
          ? 'The selected items.'
          : target.query === everything
            ? `All items of ${base}.`
            : 'Every item that matches the query when its turn comes.'}{' '}
        {count === undefined && problem === '' && 'Counting …'}
        {count !== undefined && (canUndo ? 'You can undo it right after.' : 'That many cannot be undone.')}
      </p>
      <ChangeRows columns={view.columns.known} typed={typed} onChange={setTyped} />
      {isTouched && wrong !== undefined && (
        <p class="hint" role="status">
          {wrong}
        </p>
      )}
      {wrong === undefined && example !== undefined && <UpdateExample row={example} changes={changes} />}
    </ActDialog>
  );
}

/** Shows what came of an update, which shows by itself how far it is. */
async function follow(view: BaseView, work: Promise<UpdateResult>): Promise<void> {
  try {
    const outcome = await work;
    if (outcome.isAll) view.readAgain();
    else view.shown().refresh();
    const left = `${countOf(outcome.refused, 'item')} of ${view.base} left as stored`;
    if (outcome.refused > 0) openInTurn(view, { outcome }, left);
  } catch (cause) {
    view.readAgain();
    tellFailure(cause);
  }
}

/** How many items are to be changed: a dry run counts those that match now. */
function useCount(base: string, target: UpdateTarget) {
  const read =
    'count' in target ? undefined : (signal: AbortSignal) => countMatches(base, target.query, signal);
  const { value, failure } = useRead(read, []);
  return {
    count: 'count' in target ? target.count : value,
    problem: failure === undefined ? '' : explain(failure),
  };
}

/** The changes that are typed in full, and what is wrong with the first other one. */
function readChanges(typed: readonly TypedChange[]) {
  const changes: Change[] = [];
  let wrong: string | undefined;
  for (const one of typed) {
    const change = readChange(one);
    if ('problem' in change) wrong ??= change.problem;
    else changes.push(change);
  }
  return { changes, wrong: wrong ?? changesProblem(changes) };
}

interface ChangeRowsProps {
  readonly columns: readonly Column[];
  readonly typed: readonly TypedChange[];
  onChange(typed: readonly TypedChange[]): void;
}

function ChangeRows({ columns, typed, onChange }: ChangeRowsProps) {
  const names = useId();
  return (
    <>
      <datalist id={names}>
        {columns
          .filter(({ name }) => name !== 'key' && !name.includes('.'))
          .slice(0, maxNames)
          .map(({ name }) => (
            <option key={name} value={name} />
          ))}
      </datalist>
      <div class="change-rows">
        {typed.map((change) => (
          <ChangeRow
            key={change.id}
            change={change}
            names={names}
            isOnly={typed.length === 1}
            onChange={(next) => onChange(typed.map((one) => (one.id === next.id ? next : one)))}
            onRemove={() => onChange(typed.filter(({ id }) => id !== change.id))}
          />
        ))}
      </div>
      <div>
        <Button
          text="Another change"
          variant="quiet"
          icon="plus"
          onClick={() => onChange([...typed, blank((typed.at(-1)?.id ?? 0) + 1)])}
        />
      </div>
    </>
  );
}

function blank(id: number): TypedChange {
  return { id, operation: 'set', path: '', text: '', kind: undefined };
}

function titleOf(target: UpdateTarget, count: number | undefined): string {
  if (count === undefined) return 'Update the matches';
  return 'count' in target ? `Update ${countOf(count, 'selected item')}` : `Update ${countOf(count, 'item')}`;
}
