import { route, setParameters, stepTo } from '../../router.js';
import { isPhone } from '../../ui/media.js';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.js';
import { nextOrder, splitOrder } from '../order.js';
import { type Column, expiresName } from './columns.js';

/** Which columns are shown. */
export function ColumnMenu({ columns }: { readonly columns: readonly Column[] }) {
  const hidden = hiddenNames();
  const set = (names: readonly string[]) =>
    setParameters({ hidden: names.length === 0 ? '' : JSON.stringify(names) });
  return (
    <Menu label={isPhone.value ? 'Sort and columns' : 'Columns'} icon="columns">
      {isPhone.value && <Sorts columns={columns} />}
      <MenuItem icon="eye" disabled={hidden.length === 0} onChoose={() => set([])}>
        Show all
      </MenuItem>
      <MenuLine />
      {columns
        .filter(({ name }) => name !== 'key')
        .map(({ name }) => (
          <MenuItem
            key={name}
            checked={!hidden.includes(name)}
            onChoose={() =>
              set(hidden.includes(name) ? hidden.filter((one) => one !== name) : [...hidden, name])
            }
          >
            {name === expiresName ? 'expires' : name}
          </MenuItem>
        ))}
    </Menu>
  );
}

/** How a list without heads of columns is sorted. */
function Sorts({ columns }: { readonly columns: readonly Column[] }) {
  const { order = '' } = route.value.parameters;
  const sorted = splitOrder(order);
  const textOf = (name: string) => {
    const shown = name === expiresName ? 'expires' : name;
    if (name !== sorted.name) return `Sort by ${shown}`;
    return sorted.isDescending ? `End the sort by ${shown}` : `Sort by ${shown}, downwards`;
  };
  return (
    <>
      {columns.map(({ name }) => (
        <MenuItem
          key={name}
          icon={name !== sorted.name ? undefined : sorted.isDescending ? 'arrow-down' : 'arrow-up'}
          onChoose={() => stepTo({ order: nextOrder(order, name) })}
        >
          {textOf(name)}
        </MenuItem>
      ))}
      <MenuLine />
    </>
  );
}

/** The columns that are not hidden. */
export function shownColumns(columns: readonly Column[]): readonly Column[] {
  const hidden = new Set(hiddenNames());
  return columns.filter(({ name }) => !hidden.has(name));
}

/** The names of the hidden columns; an address that was changed by hand has none. */
function hiddenNames(): readonly string[] {
  try {
    const names: unknown = JSON.parse(route.value.parameters.hidden ?? '[]');
    return Array.isArray(names) ? names.map(String) : [];
  } catch {
    return [];
  }
}
