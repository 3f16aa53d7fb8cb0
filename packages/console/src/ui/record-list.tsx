import type { ComponentChildren } from 'preact';
import { isPhone } from './media.js';

/** What is said of each record. */
export interface RecordFact<T> {
  readonly name: string;
  readonly class?: string;
  of(record: T): ComponentChildren;
}

interface RecordListProps<T extends { readonly id: string }> {
  readonly records: readonly T[];
  /** What the records are told apart by, and its heading. */
  readonly title: RecordFact<T>;
  readonly facts: readonly RecordFact<T>[];
  /** What is done with a record, and its heading for screen readers. */
  readonly actions: RecordFact<T>;
}

/** Records as a table, or on a phone as cards, so that nothing scrolls sideways. */
export function RecordList<T extends { readonly id: string }>(props: RecordListProps<T>) {
  return isPhone.value ? <RecordCards {...props} /> : <RecordTable {...props} />;
}

function RecordCards<T extends { readonly id: string }>(props: RecordListProps<T>) {
  const { records, title, facts, actions } = props;
  return (
    <ul class="record-cards">
      {records.map((record) => (
        <li key={record.id} class="record-card">
          <div class="record-card-head">
            {title.of(record)}
            {actions.of(record)}
          </div>
          <dl class="facts">
            {facts.map(({ name, of }) => [
              <dt key={name}>{name}</dt>,
              <dd key={`${name}:`}>{of(record)}</dd>,
            ])}
          </dl>
        </li>
      ))}
    </ul>
  );
}

function RecordTable<T extends { readonly id: string }>(props: RecordListProps<T>) {
  const { records, title, facts, actions } = props;
  return (
    <div class="table-box">
      <table class="table">
        <thead>
          <tr>
            {[title, ...facts].map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">
              <span class="hidden-label">{actions.name}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <tr key={record.id}>
              {[title, ...facts].map((fact) => (
                <td key={fact.name} class={fact.class}>
                  {fact.of(record)}
                </td>
              ))}
              <td class="right">{actions.of(record)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RecordNameProps {
  readonly name: string;
  /** What it is called otherwise, if `name` is not that. */
  readonly other: string | undefined;
  readonly tooltip: string;
}

export function RecordName({ name, other, tooltip }: RecordNameProps) {
  return (
    <span class="record-name" title={tooltip}>
      <strong>{name}</strong>
      {other !== undefined && <span class="meta mono">{other}</span>}
    </span>
  );
}
