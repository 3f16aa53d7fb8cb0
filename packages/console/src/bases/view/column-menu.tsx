import { route, setParameters } from '../../router.js';
import { Menu, MenuItem, MenuLine } from '../../ui/menu.js';
import { type Column, expiresName } from './columns.js';

/** Which columns are shown. */
export function ColumnMenu({ columns }: { readonly columns: readonly Column[] }) {
  const hidden = hiddenNames();
  const set = (names: readonly string[]) =>
    setParameters({ hidden: names.length === 0 ? '' : JSON.stringify(names) });
  return (
    <Menu label="Columns" icon="columns">
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

/** The names of the hidden columns; an address that was changed by hand has none. */
export function hiddenNames(): readonly string[] {
  try {
    const names: unknown = JSON.parse(route.value.parameters.hidden ?? '[]');
    return Array.isArray(names) ? names.map(String) : [];
  } catch {
    return [];
  }
}
