import { Button } from '../../ui/button.js';
import { countOf } from '../../ui/format.js';
import { keyName } from '../../ui/shortcuts.js';
import type { Staged } from './staged.js';

interface StagedBarProps {
  readonly staged: Staged;
  readonly busy: boolean;
  onReview(): void;
  onSave(): void;
}

/** Says that there are changes which are not saved. */
export function StagedBar({ staged, busy, onReview, onSave }: StagedBarProps) {
  const count = staged.count.value;
  if (count === 0) return null;
  return (
    <section class="staged-bar" aria-label="Staged changes">
      <span class="staged-dot" aria-hidden="true" />
      <span role="status">{countOf(count, 'change')}</span>
      <span class="push" />
      <Button variant="quiet" onClick={onReview}>
        Review
      </Button>
      <Button variant="quiet" onClick={() => staged.discard()}>
        Discard
      </Button>
      <Button variant="primary" busy={busy} onClick={onSave}>
        Save <kbd class="in-button">{keyName('mod+s')}</kbd>
      </Button>
    </section>
  );
}
