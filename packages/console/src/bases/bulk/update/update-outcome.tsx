import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { countOf } from '../../../ui/format.js';
import { visible } from '../../../ui/visible.js';
import type { UpdateResult } from './update-items.js';

/** What an update did, and which items were left as they are. */
export function UpdateOutcome({ result, onClose }: { readonly result: UpdateResult; onClose(): void }) {
  const { updated, refused, examples, isStopped } = result;
  return (
    <Dialog title="Updated" form="wide" onClose={onClose} actions={<Button text="Close" onClick={onClose} />}>
      <div class="stack" role="status">
        <p>
          {isStopped && 'Stopped. '}Updated {countOf(updated, 'item')}. {countOf(refused, 'item')} left as{' '}
          {refused === 1 ? 'it was' : 'they were'}.
        </p>
        {/* It scrolls with the dialog: so the keyboard can reach it. */}
        <table class="table failed-lines" tabIndex={0} aria-label="Items that were left">
          <thead>
            <tr>
              <th scope="col">Item</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {examples.map(({ key, errors }) => (
              <tr key={key}>
                <td class="mono">{visible(key)}</td>
                <td>{errors.join('; ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {refused > examples.length && <p class="meta">{countOf(refused - examples.length, 'more item')}</p>}
      </div>
    </Dialog>
  );
}
