import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../ui/button.js';
import { keepFocus } from '../../ui/focus.js';
import { countOf } from '../../ui/format.js';
import { keyName } from '../../ui/shortcuts.js';
import { draftName } from './drafts.js';
import type { Staged } from './staged.js';

interface StagedBarProps {
  readonly staged: Staged;
  readonly busy: boolean;
  /** The new items that are not added yet, except the one that is open. */
  readonly drafts: readonly string[];
  onReview(): void;
  onSave(): void;
  onDiscard(): void;
  onOpenDraft(key: string): void;
  onDiscardDraft(key: string): void;
}

/** Says that there are changes which are not saved. */
export function StagedBar({
  staged,
  busy,
  drafts,
  onReview,
  onSave,
  onDiscard,
  onOpenDraft,
  onDiscardDraft,
}: StagedBarProps) {
  const count = staged.count.value;
  const [draft] = drafts;
  const isEmpty = count === 0 && draft === undefined;
  const wasEmpty = useRef(isEmpty);
  // Its buttons go with it.
  useEffect(() => {
    if (isEmpty && !wasEmpty.current) keepFocus();
    wasEmpty.current = isEmpty;
  }, [isEmpty]);
  if (isEmpty) return null;
  const save = (
    <>
      Save <kbd class="in-button">{keyName('mod+s')}</kbd>
    </>
  );
  return (
    <section class="staged-bar" aria-label="Staged changes">
      <span class="staged-dot" aria-hidden="true" />
      {count > 0 && <span role="status">{countOf(count, 'change')}</span>}
      {draft !== undefined && (
        <>
          <span class="clip" role="status">
            Text not saved: {draftName(draft)}
            {drafts.length > 1 && `, and ${drafts.length - 1} more`}
          </span>
          <Button text="Open it" variant="quiet" onClick={() => onOpenDraft(draft)} />
          <Button text="Discard it" variant="quiet" onClick={() => onDiscardDraft(draft)} />
        </>
      )}
      <span class="push" />
      {count > 0 && (
        <>
          <Button text="Review" variant="quiet" onClick={onReview} />
          <Button text="Discard" variant="quiet" onClick={onDiscard} />
          <Button text={save} variant="primary" busy={busy} onClick={onSave} />
        </>
      )}
    </section>
  );
}
