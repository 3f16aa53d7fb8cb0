import { useState } from 'preact/hooks';
import { explain, statusOf } from '../../api/errors.js';
import { compact, indent, jsonProblem } from '../../exact/print.js';
import { kindOf } from '../../exact/scan.js';
import { JsonEditor } from '../../json-editor/json-editor.js';
import { Button } from '../../ui/button.js';
import { Problem } from '../../ui/problem.js';
import { useShortcuts } from '../../ui/shortcuts.js';
import { tell, tellFailure } from '../../ui/toast.js';
import { readItem, transact } from '../base-api.js';
import { allDrafts, draftId, keepDraft } from '../edit/drafts.js';
import { replaceOperations } from '../edit/item-text.js';
import { type Row, readRow } from '../view/row.js';

interface JsonTabProps {
  readonly base: string;
  readonly row: Row;
  onSaved(row: Row): void;
}

/** The whole item as text. It is saved as it is typed, if nobody else has changed the item meanwhile. */
export function JsonTab({ base, row, onSaved }: JsonTabProps) {
  const id = draftId(base, row.key);
  // What is typed outlives the panel, so it is kept as a draft and not here.
  const draft = allDrafts.value.get(id);
  /** The item that the text was made from. */
  const origin = draft?.origin ?? row;
  const text = draft?.text ?? indent(row.text);
  const isChanged = draft !== undefined;
  const [stored, setStored] = useState<Row>();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  const setText = (next: string) =>
    keepDraft(id, next === indent(origin.text) ? undefined : { text: next, origin });

  /** What was typed while the text was sent stays, as a change of what is saved now. */
  function noteSaved(saved: Row): void {
    const typed = allDrafts.peek().get(id)?.text;
    keepDraft(id, typed === undefined || typed === text ? undefined : { text: typed, origin: saved });
    setStored(undefined);
    onSaved(saved);
  }

  async function save(over: Row): Promise<void> {
    const wrong = itemProblem(text, row.key);
    setProblem(wrong);
    if (wrong !== undefined) return;
    setBusy(true);
    try {
      const saved = readRow(compact(text));
      await replace(base, over, saved.text);
      noteSaved(saved);
      tell('Saved 1 item', {
        label: 'Undo',
        run: () => {
          replace(base, saved, over.text).then(() => onSaved(over), tellFailure);
        },
      });
    } catch (cause) {
      if (statusOf(cause) === 412) setStored(await readItem(base, row.key));
      setProblem(statusOf(cause) === 412 ? 'Somebody else has changed the item meanwhile.' : explain(cause));
    }
    setBusy(false);
  }

  const submit = () => {
    if (isChanged && stored === undefined && !busy) void save(origin);
  };
  useShortcuts(isChanged ? { 'mod+s': submit } : {}, { isOver: true });
  return (
    <div class="json-tab">
      <JsonEditor
        label={`JSON of ${row.key}`}
        text={text}
        onChange={(next) => {
          setText(next);
          if (stored === undefined) setProblem(undefined);
        }}
        onSubmit={submit}
      />
      <Problem text={problem} />
      {stored !== undefined && (
        <div class="stack">
          <pre class="stored-now">{indent(stored.text)}</pre>
          <div class="row">
            <Button onClick={() => void save(stored)}>Overwrite it</Button>
            <Button
              onClick={() => {
                keepDraft(id, undefined);
                setStored(undefined);
                setProblem(undefined);
                onSaved(stored);
              }}
            >
              Take theirs
            </Button>
          </div>
        </div>
      )}
      <div class="row json-actions">
        <Button variant="primary" busy={busy} disabled={!isChanged || stored !== undefined} onClick={submit}>
          Save
        </Button>
        <Button variant="quiet" disabled={!isChanged} onClick={() => keepDraft(id, undefined)}>
          Discard
        </Button>
        <Button
          variant="quiet"
          disabled={jsonProblem(text) !== undefined}
          onClick={() => setText(indent(compact(text)))}
        >
          Format
        </Button>
      </div>
    </div>
  );
}

/** Puts an item in place of one that is still as it was. */
async function replace(base: string, before: Row, text: string): Promise<void> {
  await transact(base, replaceOperations(before, text));
}

/** What is wrong with the text of an item, or undefined. */
function itemProblem(text: string, key: string): string | undefined {
  const problem = jsonProblem(text);
  if (problem !== undefined) return problem;
  if (kindOf(text.trim()) !== 'object') return 'An item is an object: {…}';
  return readRow(compact(text)).key === key
    ? undefined
    : 'The key cannot be changed. Duplicate the item instead.';
}
