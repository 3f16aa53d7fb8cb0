import type { KeyDetails } from 'basedrive-client';
import { IconButton } from '../ui/button.js';
import { formatFromNow, formatTime } from '../ui/format.js';
import { type RecordFact, RecordList, RecordName } from '../ui/record-list.js';
import { visible } from '../ui/visible.js';
import { scopeText } from './scope-text.js';

interface KeyListProps {
  readonly keys: readonly KeyDetails[];
  onDelete(key: KeyDetails): void;
}

const title: RecordFact<KeyDetails> = {
  name: 'Name',
  of: ({ id, name, created }) => (
    <RecordName
      name={name === undefined ? id : visible(name)}
      other={name === undefined ? undefined : id}
      tooltip={`${id}, created ${formatTime(created)}`}
    />
  ),
};

const facts: readonly RecordFact<KeyDetails>[] = [
  { name: 'May', of: ({ access }) => access },
  { name: 'Where', class: 'record-scope', of: scopeText },
  { name: 'Last used', of: ({ last_used }) => <Moment seconds={last_used} /> },
  { name: 'Expires', of: ({ expires }) => <Moment seconds={expires} /> },
];

/** The keys: what each may do, and where. */
export function KeyList({ keys, onDelete }: KeyListProps) {
  const actions: RecordFact<KeyDetails> = {
    name: 'Revoke',
    of: (details) => (
      <IconButton
        icon="trash"
        label={`Revoke ${details.name === undefined ? details.id : visible(details.name)}`}
        onClick={() => onDelete(details)}
      />
    ),
  };
  return <RecordList records={keys} title={title} facts={facts} actions={actions} />;
}

/** A second since 1970 as its distance from now, with the date as the tooltip. */
function Moment({ seconds }: { readonly seconds: number | undefined }) {
  if (seconds === undefined) return <span class="hint">never</span>;
  return <span title={formatTime(seconds)}>{formatFromNow(seconds)}</span>;
}
