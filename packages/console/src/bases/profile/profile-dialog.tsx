import { stepTo } from '../../router.js';
import { Dialog } from '../../ui/dialog.js';
import { countOf } from '../../ui/format.js';
import { ErrorState, LoadingRows } from '../../ui/states.js';
import { useRead } from '../../ui/use-read.js';
import { visible } from '../../ui/visible.js';
import { addCondition, type Condition, everything, readQuery, writeQuery } from '../query/model.js';
import { AttributeRow } from './attribute-row.js';
import { type Profile, readProfile } from './read-profile.js';

interface ProfileDialogProps {
  readonly base: string;
  /** The query whose matches are described, as JSON text. */
  readonly query: string;
  onClose(): void;
}

/** Which attributes the items have, of which types and with which values. A click filters by what it is on. */
export function ProfileDialog({ base, query, onClose }: ProfileDialogProps) {
  const read = (signal: AbortSignal) => readProfile(base, query, signal);
  const { value: profile, failure, retry } = useRead(read, [base, query]);
  const filterBy = (condition: Condition) => {
    stepTo({ from: '', query: writeQuery(addCondition(readQuery(query) ?? [], condition)) });
    onClose();
  };
  return (
    <Dialog title={`Attributes of ${visible(base)}`} form="wide" isText onClose={onClose}>
      {failure !== undefined ? (
        <ErrorState cause={failure} onRetry={retry} />
      ) : profile === undefined ? (
        <LoadingRows rows={6} />
      ) : (
        <div class="stack">
          <p class="hint" role="status">
            {sourceOf(profile, query)} A click on a value shows the items that have it.
          </p>
          <ul class="profile" aria-label="Attributes">
            {profile.attributes.map((attribute) => (
              <AttributeRow
                key={attribute.path}
                attribute={attribute}
                items={profile.items}
                onFilter={filterBy}
              />
            ))}
          </ul>
          {!profile.hasAll && <p class="hint">There are more attributes: these are the first 200.</p>}
        </div>
      )}
    </Dialog>
  );
}

/** What the numbers are of: all items, or a sample. */
function sourceOf({ items, isComplete, places }: Profile, query: string): string {
  const isQuery = query !== everything;
  const noun = countOf(items, isQuery ? 'match' : 'item', isQuery ? 'matches' : 'items');
  if (isComplete) return `Of ${items === 1 ? '' : 'all '}${noun}.`;
  return places === 1
    ? `Of the first ${noun} in the order of their keys; there are more.`
    : `Of a sample: ${noun} from ${places} places among the keys; there are more.`;
}
