import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../ui/button.js';
import { keepFocus } from '../../ui/focus.js';
import { countOf } from '../../ui/format.js';
import { keyName } from '../../ui/shortcuts.js';
import type { BaseProps } from '../actions.js';
import { draftKeys, draftName } from './drafts.js';

/** Says that there are changes which are not saved. */
export function StagedBar({ view, actions }: BaseProps) {
  const count = view.staged.count.value;
  // The new items that are not added yet, except the one that is open.
  const openDraft = view.newItem.value?.draftKey;
  const drafts = draftKeys(view.base).filter((key) => key !== openDraft);
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
          <Button text="Open it" variant="quiet" onClick={() => actions.openDraft(draft)} />
          <Button text="Discard it" variant="quiet" onClick={() => actions.discardDraft(draft)} />
        </>
      )}
      <span class="push" />
      {count > 0 && (
        <>
          <Button text="Review" variant="quiet" onClick={() => view.open('review')} />
          <Button text="Discard" variant="quiet" onClick={() => actions.discard()} />
          <Button
            text={save}
            variant="primary"
            busy={view.isSaving.value}
            onClick={() => void actions.save()}
          />
        </>
      )}
    </section>
  );
}
