import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { countOf } from '../../ui/format.js';
import { visible } from '../../ui/visible.js';
import type { BaseProps } from '../actions.js';
import { ValueTable } from '../view/value-table.js';
import { draftProblem } from './item-draft.js';
import type { StagedItem } from './staged.js';

interface ReviewProps extends BaseProps {
  onClose(): void;
}

/** Every staged change: what it was and what it becomes. Where somebody else was faster, what is stored now. */
export function Review({ view, actions, onClose }: ReviewProps) {
  const { staged } = view;
  const items = Array.from(staged.items.value);
  const hasConflict = items.some(([, { conflict }]) => conflict !== undefined);
  const hasMistake = items.some(([key, item]) => draftProblem(key, item) !== undefined);
  return (
    <Dialog
      title={hasConflict ? 'Changed by somebody else' : 'Staged changes'}
      form="wide"
      onClose={onClose}
      actions={
        <>
          <Button
            text="Discard all"
            onClick={() => {
              actions.discard();
              onClose();
            }}
          />
          <Button
            text={`Save ${countOf(staged.count.value, 'change')}`}
            variant="primary"
            busy={view.isSaving.value}
            disabled={hasConflict || hasMistake || items.length === 0}
            onClick={() => void actions.save()}
          />
        </>
      }
    >
      {hasConflict && (
        <p class="hint">
          Nothing was overwritten. Decide for each item whether your change or the stored one stays, then
          save.
        </p>
      )}
      <div class="review">
        {items.map(([key, item]) => (
          <ReviewItem
            key={key}
            id={key}
            item={item}
            onDiscard={() => actions.discard([key])}
            onKeep={() => staged.keepMine(key)}
          />
        ))}
      </div>
    </Dialog>
  );
}

interface ReviewItemProps {
  readonly id: string;
  readonly item: StagedItem;
  onDiscard(): void;
  /** Keeps the changes over what somebody else has stored. */
  onKeep(): void;
}

function ReviewItem({ id, item, onDiscard, onKeep }: ReviewItemProps) {
  const { row, changes, conflict } = item;
  const stored = conflict?.row;
  const problem = draftProblem(row.key, item);
  return (
    <section class={conflict === undefined ? 'review-item' : 'review-item in-conflict'} aria-label={id}>
      <header class="row">
        <h3 class="mono clip" title={id}>
          {visible(id)}
        </h3>
        {conflict === undefined ? (
          <Button text="Discard" variant="quiet" onClick={onDiscard} />
        ) : (
          <>
            <Button text="Take theirs" onClick={onDiscard} />
            {stored !== undefined && <Button text="Keep mine" onClick={onKeep} />}
          </>
        )}
      </header>
      {conflict !== undefined && stored === undefined && <p class="problem">The item was deleted.</p>}
      {problem !== undefined && <p class="problem">The JSON has a mistake: {problem}</p>}
      {problem === undefined && item.text !== undefined && <p class="meta">The order of its attributes</p>}
      <ValueTable
        heads={stored === undefined ? ['Was', 'Yours'] : ['Was', 'Stored now', 'Yours']}
        rows={Array.from(changes, ([name, json]) => {
          const was = row.attributes.get(name);
          return {
            name,
            values: stored === undefined ? [was, json] : [was, stored.attributes.get(name), json],
          };
        })}
      />
    </section>
  );
}
