import type { ComponentChildren } from 'preact';
import { Button } from './button.js';
import type { IconName } from './icon.js';
import { EmptyState, ErrorState, LoadingRows } from './states.js';

interface ListScreenProps {
  readonly title: string;
  /** How many there are, in words. */
  readonly count: string;
  /** The number of records that were read; undefined until they are. */
  readonly length: number | undefined;
  readonly failure: unknown;
  /** What the button makes: `New key`. */
  readonly verb: string;
  /** What is shown while there is no record. */
  readonly empty: {
    readonly icon: IconName;
    readonly title: string;
    readonly verb: string;
    readonly text: string;
  };
  /** The list. */
  readonly children: ComponentChildren;
  /** They are there in any case. */
  readonly dialogs: ComponentChildren;
  onAdd(): void;
  onRetry(): void;
}

/** A screen of records that are listed, made and deleted. */
export function ListScreen(props: ListScreenProps) {
  const { title, count, length, failure, verb, empty, children, dialogs, onAdd, onRetry } = props;
  return (
    <div class="screen">
      <header class="screen-head">
        <h1>{title}</h1>
        <span class="meta">{length === undefined ? '' : count}</span>
        <span class="screen-actions">
          {failure === undefined && <Button text={verb} variant="primary" icon="plus" onClick={onAdd} />}
        </span>
      </header>
      {failure !== undefined ? (
        <ErrorState cause={failure} onRetry={onRetry} />
      ) : length === undefined ? (
        <LoadingRows />
      ) : length === 0 ? (
        <EmptyState
          icon={empty.icon}
          title={empty.title}
          actions={<Button text={empty.verb} icon="plus" onClick={onAdd} />}
        >
          {empty.text}
        </EmptyState>
      ) : (
        children
      )}
      {dialogs}
    </div>
  );
}
