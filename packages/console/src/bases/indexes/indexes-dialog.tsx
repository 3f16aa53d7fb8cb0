import type { CountedIndexInfo } from 'basedrive-client';
import { useState } from 'preact/hooks';
import { mayShare } from '../../api/own-key.js';
import { client } from '../../api/session.js';
import { splitNames } from '../../keys/scope-text.js';
import { Button, IconButton } from '../../ui/button.js';
import { confirm } from '../../ui/confirm.js';
import { Dialog } from '../../ui/dialog.js';
import { Form } from '../../ui/form.js';
import { formatCount, formatFromNow, formatTime } from '../../ui/format.js';
import { Problem } from '../../ui/problem.js';
import { type RecordFact, RecordList } from '../../ui/record-list.js';
import { ErrorState, LoadingRows } from '../../ui/states.js';
import { useTask } from '../../ui/task.js';
import { TextField } from '../../ui/text-field.js';
import { visible } from '../../ui/visible.js';
import { useIndexes } from './use-indexes.js';

interface IndexesDialogProps {
  readonly base: string;
  /** The number of all items, once it is known. */
  readonly total: number | undefined;
  /** The attributes that the form begins with. */
  readonly attributes: string;
  onClose(): void;
}

/** The indexes of a base: how far they are, and how one is made and dropped (docs/http.md#indexes). */
export function IndexesDialog({ base, total, attributes, onClose }: IndexesDialogProps) {
  const { list, failure, reload } = useIndexes(base);
  return (
    <Dialog title="Indexes" form="wide" onClose={onClose}>
      <div class="stack">
        <p class="hint">
          With an index, sorting by its attributes and counting read fewer items. Each write keeps it in step.
        </p>
        {failure !== undefined ? (
          <ErrorState cause={failure} onRetry={reload} />
        ) : list === undefined ? (
          <LoadingRows rows={2} />
        ) : list.length === 0 ? (
          <p>There is no index yet.</p>
        ) : (
          <IndexList base={base} list={list} total={total} onDropped={reload} />
        )}
        {mayShare.value && <NewIndex base={base} attributes={attributes} onMade={reload} />}
      </div>
    </Dialog>
  );
}

interface IndexListProps {
  readonly base: string;
  readonly list: readonly CountedIndexInfo[];
  readonly total: number | undefined;
  onDropped(): void;
}

type IndexRecord = CountedIndexInfo & { readonly id: string };

const title: RecordFact<IndexRecord> = {
  name: 'Name',
  class: 'record-scope',
  of: ({ name }) => visible(name),
};

function IndexList({ base, list, total, onDropped }: IndexListProps) {
  const facts: readonly RecordFact<IndexRecord>[] = [
    { name: 'Attributes', class: 'mono record-scope', of: ({ fields }) => visible(fields.join(', ')) },
    { name: 'State', of: (index) => <State index={index} total={total} /> },
    { name: 'Items', of: ({ entries, exact }) => `${formatCount(entries)}${exact ? '' : ' or more'}` },
    { name: 'Queries', of: (index) => index.state === 'ready' && <Uses index={index} /> },
  ];
  const drop: RecordFact<IndexRecord> = {
    name: 'Drop',
    of: ({ name }) =>
      mayShare.value && (
        <IconButton
          icon="trash"
          label={`Drop ${visible(name)}`}
          onClick={() => askToDrop(base, name, onDropped)}
        />
      ),
  };
  const records = list.map((index) => ({ ...index, id: index.name }));
  return <RecordList records={records} title={title} facts={facts} actions={drop} />;
}

function askToDrop(base: string, name: string, onDropped: () => void): void {
  confirm({
    title: `Drop the index ${visible(name)}?`,
    text: 'No answer changes, but sorting and counting read all items again. It can be made anew.',
    verb: 'Drop',
    danger: true,
    async act() {
      await client().Base(base).dropIndex(name);
      onDropped();
    },
  });
}

interface StateProps {
  readonly index: CountedIndexInfo;
  readonly total: number | undefined;
}

function State({ index: { name, state, entries, collisions = [] }, total }: StateProps) {
  if (state === 'ready') return <>Ready</>;
  if (state === 'failed') return <>{`Failed: ${visible(collisions.join(', '))} have equal values`}</>;
  return <progress class="progress" aria-label={`Building ${visible(name)}`} value={entries} max={total} />;
}

/** How often queries have used an index since the server has started: one that none uses costs each write for nothing. */
function Uses({ index: { uses, used_at, unique = false } }: { readonly index: CountedIndexInfo }) {
  if (used_at !== undefined)
    return (
      <span title={`The last one: ${formatTime(used_at)}`}>
        {`${formatCount(uses)}, ${formatFromNow(used_at)}`}
      </span>
    );
  return (
    <span class="hint" title={unique ? 'It keeps values unique' : 'Since the server has started'}>
      {unique ? 'keeps unique' : 'none yet'}
    </span>
  );
}

interface NewIndexProps {
  readonly base: string;
  readonly attributes: string;
  onMade(): void;
}

function NewIndex({ base, attributes, onMade }: NewIndexProps) {
  const [text, setText] = useState(attributes);
  const { busy, problem, run, clear } = useTask();
  const fields = splitNames(text);
  const make = () =>
    run(async () => {
      await client()
        .Base(base)
        .declareIndex(`by ${fields.join(', ')}`, fields);
      setText('');
      onMade();
    });
  return (
    <Form class="stack" label="New index" onSubmit={() => void make()}>
      <TextField
        label="Attributes, between commas"
        class="input mono"
        value={text}
        aria-describedby="index-note"
        onInput={(typed) => {
          setText(typed);
          clear();
        }}
      />
      <p id="index-note" class="hint">
        One is enough to sort by it. With several, the first ones are those that a query compares by equality.
      </p>
      <Problem text={problem} />
      <div class="row">
        <Button
          text="Make the index"
          variant="primary"
          type="submit"
          busy={busy}
          disabled={fields.length === 0}
        />
      </div>
    </Form>
  );
}
