import { useEffect, useRef, useState } from 'preact/hooks';
import { explain, isAborted } from '../../api/errors.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { countOf, formatBytes } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { Problem } from '../../ui/problem.js';
import { type Imported, importFile } from './import-request.js';

interface ImportDialogProps {
  readonly base: string;
  onDone(): void;
  onClose(): void;
}

/** Refused lines that are listed. */
const shownLines = 100;

/** Imports a file of items, shows how far it is, and which lines were refused. */
export function ImportDialog({ base, onDone, onClose }: ImportDialogProps) {
  const [file, setFile] = useState<File>();
  const [isReplacing, setReplacing] = useState(true);
  const [sent, setSent] = useState<number>();
  const [result, setResult] = useState<Imported>();
  const [problem, setProblem] = useState<string>();
  const ended = useRef(new AbortController());
  useEffect(() => () => ended.current.abort(), []);
  const isRunning = sent !== undefined && result === undefined && problem === undefined;

  async function start(): Promise<void> {
    if (file === undefined) return;
    setSent(0);
    setProblem(undefined);
    try {
      const options = { isReplacing, signal: ended.current.signal, onSent: setSent };
      setResult(await importFile(base, file, options));
    } catch (cause) {
      if (!isAborted(cause)) setProblem(`${explain(cause)} What was stored until then stays.`);
    }
    onDone();
  }

  return (
    <Dialog
      title="Import items"
      form={result === undefined ? 'narrow' : 'wide'}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{result === undefined ? 'Cancel' : 'Close'}</Button>
          {result === undefined && (
            <Button
              variant="primary"
              disabled={file === undefined}
              busy={isRunning}
              onClick={() => void start()}
            >
              Import
            </Button>
          )}
        </>
      }
    >
      {result === undefined ? (
        <div class="stack">
          <FileChoice file={file} onChoose={setFile} />
          <label class="row">
            <input
              type="checkbox"
              checked={isReplacing}
              onChange={(event) => setReplacing(event.currentTarget.checked)}
            />
            Replace items that have the same key
          </label>
          {isRunning && (
            <div class="stack" role="status">
              <progress class="progress" max={file?.size ?? 1} value={sent} aria-label="Sent" />
              <span class="meta">
                {formatBytes(sent)} of {formatBytes(file?.size ?? 0)} sent
              </span>
            </div>
          )}
          <Problem text={problem} />
        </div>
      ) : (
        <Result result={result} />
      )}
    </Dialog>
  );
}

function FileChoice({ file, onChoose }: { readonly file: File | undefined; onChoose(file: File): void }) {
  const [isOver, setOver] = useState(false);
  return (
    <label
      class={isOver ? 'drop-place over' : 'drop-place'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const dropped = event.dataTransfer?.files[0];
        if (dropped !== undefined) onChoose(dropped);
      }}
    >
      <Icon name="upload" size={24} />
      <span class="clip">{file === undefined ? 'Choose a file, or drop it here' : file.name}</span>
      <span class="meta">
        {file === undefined ? 'One JSON item a line (NDJSON), or a JSON list' : formatBytes(file.size)}
      </span>
      <input
        type="file"
        class="hidden-label"
        accept=".ndjson,.jsonl,.json,application/x-ndjson,application/json"
        onChange={(event) => {
          const chosen = event.currentTarget.files?.[0];
          if (chosen !== undefined) onChoose(chosen);
        }}
      />
    </label>
  );
}

function Result({ result: { stored, failed, lines } }: { readonly result: Imported }) {
  return (
    <div class="stack" role="status">
      <p>
        Stored {countOf(stored, 'item')}.{' '}
        {failed === 0 ? 'No line was refused.' : `Refused ${countOf(failed, 'line')}.`}
      </p>
      {lines.length > 0 && (
        <table class="table failed-lines">
          <thead>
            <tr>
              <th scope="col" class="line-number">
                Line
              </th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {lines.slice(0, shownLines).map(({ line, errors }) => (
              <tr key={line}>
                <td class="mono">{line}</td>
                <td>{errors.join('; ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {failed > shownLines && (
        <p class="meta">{countOf(failed - Math.min(shownLines, lines.length), 'more line')}</p>
      )}
    </div>
  );
}
