import { mayShare, mayWrite, seesPublic } from '../../api/own-key.js';
import { Button, IconButton } from '../../ui/button.js';
import { copyText } from '../../ui/copy.js';
import { countOf } from '../../ui/format.js';
import { isPhone } from '../../ui/media.js';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.js';
import type { BaseProps } from '../actions.js';
import type { BaseDialog } from '../base-view.js';
import { saveMatches } from '../bulk/export.js';
import { useFollowed } from '../listing/use-followed.js';
import { everything } from '../query/model.js';
import { useNewer } from './use-newer.js';

/** The name of the base, how many items match, and what can be done with all of them. */
export function BaseHead({ view, actions }: BaseProps) {
  const { base, listing, request, columns, readAgain } = view;
  const total = listing.total.value;
  const isIdle = !view.isWaiting && !view.isSaving.value;
  const { isNewer, askSoon } = useNewer(listing, isIdle);
  useFollowed({ base, listing, isIdle, onOthers: askSoon });
  const isQuery = request.query !== everything;
  const reload = () => (listing.state.peek() === 'failed' ? readAgain() : listing.refresh());
  const open = (dialog: BaseDialog) => () => view.open(dialog);
  return (
    <header class="screen-head">
      <h1 class="clip" title={base}>
        {base}
      </h1>
      <span class="meta" role="status">
        {total === undefined
          ? ''
          : `${countOf(total, isQuery ? 'match' : 'item', isQuery ? 'matches' : 'items')}`}
      </span>
      {isNewer && (
        <span class="badge newer" role="status">
          Changed elsewhere
        </span>
      )}
      <span class="screen-actions">
        {(isNewer || !isPhone.value) && (
          <span class={isNewer ? 'newer' : undefined}>
            <IconButton icon="refresh" label="Reload" onClick={reload} />
          </span>
        )}
        {mayWrite.value && (
          <Button
            text={<span class="head-label">Item</span>}
            icon="plus"
            title="Add an item"
            onClick={() => actions.addItem()}
          />
        )}
        {!isPhone.value && <IconButton icon="search" label="Find a key" onClick={open('keys')} />}
        {columns.shown.length > 1 && (
          <IconButton
            icon="columns"
            label={isPhone.value ? 'Sort and columns' : 'Columns'}
            onClick={open('columns')}
          />
        )}
        <MoreMenu {...{ view, actions, reload, open }} />
      </span>
    </header>
  );
}

interface MoreMenuProps extends BaseProps {
  reload(): void;
  open(dialog: BaseDialog): () => void;
}

/** What is done with all items of the base, or with those that match. */
function MoreMenu({ view, actions, reload, open }: MoreMenuProps) {
  const { base, listing, request } = view;
  const total = listing.total.value;
  const isQuery = request.query !== everything;
  return (
    <Menu label="More">
      {isPhone.value && (
        <>
          <MenuItem text="Reload" icon="refresh" onChoose={reload} />
          <MenuItem text="Find a key" icon="search" onChoose={open('keys')} />
        </>
      )}
      <MenuItem text="Copy the name" icon="copy" onChoose={() => void copyText(base, 'Copied the name')} />
      <MenuLine />
      {mayWrite.value && <MenuItem text="Import…" icon="upload" onChoose={open('import')} />}
      <MenuItem
        text={isQuery ? 'Export the matches' : 'Export'}
        icon="download"
        disabled={total === 0}
        onChoose={() => void saveMatches(request, total)}
      />
      <MenuItem
        text={isQuery ? 'Export the matches as CSV…' : 'Export as CSV…'}
        icon="download"
        disabled={total === 0}
        onChoose={() => actions.askForTable('matches')}
      />
      <MenuItem text="Saved changes…" icon="clock" onChoose={open('history')} />
      <MenuItem text="Attributes…" icon="chart" onChoose={open('profile')} />
      {seesPublic.value && <MenuItem text="Indexes…" icon="list" onChoose={open({ indexes: '' })} />}
      {mayWrite.value && (
        <>
          <MenuLine />
          <MenuItem
            text={isQuery ? 'Update the matches…' : 'Update all items…'}
            icon="pencil"
            disabled={total === 0}
            onChoose={actions.updateMatches}
          />
        </>
      )}
      {(isQuery ? mayWrite : mayShare).value && (
        <MenuItem
          text={isQuery ? 'Delete the matches…' : 'Delete all items…'}
          icon="trash"
          danger
          disabled={total === 0}
          onChoose={actions.deleteMatches}
        />
      )}
    </Menu>
  );
}
