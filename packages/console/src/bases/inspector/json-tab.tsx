import { useMemo, useState } from 'preact/hooks';
import { compact, indent, jsonProblem } from '../../exact/print.js';
import { JsonEditor } from '../../json-editor/json-editor.js';
import { Button } from '../../ui/button.js';
import { draftProblem } from '../edit/item-draft.js';
import { changedText, type Staged } from '../edit/staged.js';
import type { Row } from '../view/row.js';

interface JsonTabProps {
  readonly row: Row;
  readonly staged: Staged;
  onSave(): void;
  /** Drops what is changed in the item. */
  onDiscard(): void;
}

/** The whole item as text. What is typed is staged, as it is in the fields and the cells. */
export function JsonTab({ row, staged, onSave, onDiscard }: JsonTabProps) {
  const item = staged.items.value.get(row.key);
  const text = changedText(row, item);
  /** What was typed last, and the item that it stands for: line breaks and spaces stay as they were typed. */
  const [typed, setTyped] = useState<{ readonly as: string; readonly of: string }>();
  const printed = useMemo(() => indent(text), [text]);
  const shown = item?.text ?? (typed?.of === text ? typed.as : printed);

  function change(next: string): void {
    staged.setText(row, next);
    setTyped({ as: next, of: changedText(row, staged.items.peek().get(row.key)) });
  }

  const problem = draftProblem(row.key, item);
  return (
    <div class="json-tab">
      <JsonEditor label={`JSON of ${row.key}`} text={shown} onChange={change} onSubmit={onSave} />
      {problem !== undefined && <p class="problem">{problem}</p>}
      <div class="row json-actions">
        <Button text="Discard" variant="quiet" disabled={item === undefined} onClick={onDiscard} />
        <Button
          text="Format"
          variant="quiet"
          disabled={jsonProblem(shown) !== undefined}
          onClick={() => change(indent(compact(shown)))}
        />
      </div>
    </div>
  );
}
