import { useSignal } from '@preact/signals';
import type { KeyDetails } from 'basedrive-client';
import { useEffect } from 'preact/hooks';
import { client } from '../api/session.js';
import { Button } from '../ui/button.js';
import { confirm } from '../ui/confirm.js';
import { countOf } from '../ui/format.js';
import { EmptyState, ErrorState, LoadingRows } from '../ui/states.js';
import { tell } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { KeyList } from './key-list.js';
import { NewKeyDialog } from './new-key-dialog.js';

/** The keys of the project: who may do what, and until when. */
export function KeysScreen() {
  const keys = useSignal<readonly KeyDetails[] | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const isAdding = useSignal(false);

  async function read(): Promise<void> {
    failure.value = undefined;
    try {
      keys.value = [...(await client().keys.list())].sort(byName);
    } catch (cause) {
      failure.value = cause;
    }
  }
  useEffect(() => void read(), []);

  function askToDelete({ id, name }: KeyDetails): void {
    confirm({
      title: `Revoke ${name === undefined ? 'the key' : visible(name)}?`,
      text: 'Whoever uses it is refused at once. Links that it made end with it. This cannot be undone.',
      verb: 'Revoke',
      danger: true,
      act: async () => {
        await client().keys.delete(id);
        await read();
        tell('Revoked');
      },
    });
  }

  const list = keys.value;
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>Keys</h1>
        <span class="meta">{list === undefined ? '' : countOf(list.length, 'key')}</span>
        <span class="screen-actions">
          <Button
            variant="primary"
            icon="plus"
            onClick={() => {
              isAdding.value = true;
            }}
          >
            New key
          </Button>
        </span>
      </header>
      {failure.value !== undefined ? (
        <ErrorState cause={failure.value} onRetry={() => void read()} />
      ) : list === undefined ? (
        <LoadingRows />
      ) : list.length === 0 ? (
        <EmptyState
          icon="key"
          title="No keys yet"
          actions={
            <Button
              icon="plus"
              onClick={() => {
                isAdding.value = true;
              }}
            >
              Make a key
            </Button>
          }
        >
          The keys with which the server was started are not listed. Give a page, a colleague or a program a
          key of its own, which may do less and can be revoked.
        </EmptyState>
      ) : (
        <KeyList keys={list} onDelete={askToDelete} />
      )}
      {isAdding.value && (
        <NewKeyDialog
          onMade={() => void read()}
          onClose={() => {
            isAdding.value = false;
          }}
        />
      )}
    </div>
  );
}

/** Names first, then keys without one. */
function byName(one: KeyDetails, other: KeyDetails): number {
  const [a, b] = [one.name ?? '\uffff', other.name ?? '\uffff'];
  return a === b ? one.created - other.created : a.localeCompare(b, 'en', { numeric: true });
}
