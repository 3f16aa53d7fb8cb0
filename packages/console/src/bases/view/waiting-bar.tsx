import { useEffect, useState } from 'preact/hooks';
import { mayShare, seesPublic } from '../../api/own-key.js';
import { route, stepBack } from '../../router.js';
import { Button } from '../../ui/button.js';
import { countOf } from '../../ui/format.js';
import type { BaseView } from '../base-view.js';
import { useIndexes } from '../indexes/use-indexes.js';
import { splitOrder } from '../order.js';
import { everything } from '../query/model.js';

/**
 * Says what is read while the rows in view are still those before, and for how long, and can end it. The styles let it
 * appear after a moment, so that what comes at once shows no bar.
 */
export function WaitingBar({ view }: { readonly view: BaseView }) {
  const { shownParameters: shown } = view;
  const { query = '', order = '', from = '' } = route.value.parameters;
  const seconds = useSeconds(query + order + from);
  const before = {
    ...(query === shown.query ? {} : { query: shown.query }),
    ...(order === shown.order ? {} : { order: shown.order }),
    ...(from === shown.from ? {} : { from: shown.from }),
  };
  const { name } = splitOrder(order);
  const isSort = order !== shown.order && name !== '' && name !== 'key';
  const { list } = useIndexes(view.base, isSort && seconds >= 1 && seesPublic.value);
  const hasIndex = list?.some(({ fields }) => fields.includes(name));
  // What is read is the base, whatever matches.
  const total = shown.query === '' ? view.listing.total.value : undefined;
  const all = total === undefined ? '' : countOf(total, 'item');
  // A page in the order of keys uses no index (docs/http.md#queries-that-use-an-index), so a filter is offered none.
  const note =
    seconds < 1
      ? ''
      : hasIndex === false
        ? `${all}${all === '' ? '' : ', '}no index on ${name}`
        : query !== shown.query && order === '' && all !== ''
          ? `up to ${all} to read`
          : '';
  const what = order !== shown.order ? sorting(order) : query !== shown.query ? searching(query) : 'Reading';
  return (
    <div class="waiting-bar">
      <span role="status">{what} …</span>
      <progress class="progress" aria-label={what} />
      <span class="meta">{seconds > 0 && `${seconds} s`}</span>
      <span class="clip" role="status">
        {note}
      </span>
      {hasIndex === false && mayShare.value && (
        <Button text="Make an index" variant="quiet" onClick={() => view.open({ indexes: name })} />
      )}
      {Object.keys(before).length > 0 && (
        <Button text="Cancel" variant="quiet" icon="x" onClick={() => stepBack(before)} />
      )}
    </div>
  );
}

function sorting(order: string): string {
  const { name, isDescending } = splitOrder(order);
  return name === '' ? 'Sorting by key' : `Sorting by ${name}${isDescending ? ', downwards' : ''}`;
}

const searching = (query: string) =>
  query === '' || query === everything ? 'Reading all items' : 'Searching';

/** The whole seconds since `subject` became another one. */
function useSeconds(subject: string): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const startedMs = performance.now();
    setSeconds(0);
    const timer = setInterval(() => setSeconds(Math.floor((performance.now() - startedMs) / 1000)), 250);
    return () => clearInterval(timer);
  }, [subject]);
  return seconds;
}
