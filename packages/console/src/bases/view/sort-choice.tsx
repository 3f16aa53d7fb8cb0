import { route, stepTo } from '../../router.js';
import { Button } from '../../ui/button.js';
import { SelectField } from '../../ui/select.js';
import { splitOrder } from '../order.js';
import { type Column, shownName } from './columns.js';

/** How a list without heads of columns is sorted. */
export function SortChoice({ columns }: { readonly columns: readonly Column[] }) {
  const { order = '' } = route.value.parameters;
  const { name: sorted, isDescending } = splitOrder(order);
  const sortBy = (name: string, isDown: boolean) =>
    stepTo({ order: name === '' || (name === 'key' && !isDown) ? '' : `${isDown ? '-' : ''}${name}` });
  return (
    <div class="row sort-choice">
      <SelectField
        label="Sort by"
        value={sorted === '' ? 'key' : sorted}
        choices={columns.map(({ name }) => [name, shownName(name)])}
        onChoose={(name) => sortBy(name, isDescending)}
      />
      <Button
        text={isDescending ? 'Downwards' : 'Upwards'}
        icon={isDescending ? 'arrow-down' : 'arrow-up'}
        onClick={() => sortBy(sorted === '' ? 'key' : sorted, !isDescending)}
      />
    </div>
  );
}
