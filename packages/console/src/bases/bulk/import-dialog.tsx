import { useEffect, useRef, useState } from 'preact/hooks';
import { explain } from '../../api/errors.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { countOf, formatBytes } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';
import { Problem } from '../../ui/problem.js';
import { tell, tellFailure } from '../../ui/toast.js';
import { fileProblem, type Imported, importFile } from './import-request.js';

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
  const [progress, setProgress] = useState<{ readonly part: number; readonly imported: Imported }>();
  const [result, setResult] = useState<Imported>();
  const [problem, setProblem] = useState<string>();
  const [isRefused, setRefused] = useState(false);
  const ended = useRef(new AbortController());
  const isGone = useRef(false);
  const [isStopped, setStopped] = useState(false);
  useEffect(
    () => () => {
      isGone.current = true;
      ended.current.abort();
    },
    [],
  );
  const isRunning = progress !== undefined && result === undefined && problem === undefined;

  async function choose(chosen: File): Promise<void> {
    setFile(chosen);
    setProgress(undefined);
    const wrong = await fileProblem(chosen).catch(explain);
    setProblem(wrong);
    setRefused(wrong !== undefined);
  }

  async function start(): Promise<void> {
    if (file === undefined) return;
    setProgress({ part: 0, imported: { stored: 0, failed: 0, lines: [] } });
    setProblem(undefined);
    try {
      const { signal } = ended.current;
      const onPart = (part: number, imported: Imported) => setProgress({ part, imported });
      const imported = await importFile(base, file, { isReplacing, signal, onDone: onPart });
      if (isGone.current) tell(`Stored ${countOf(imported.stored, 'item')}, then stopped`);
      setStopped(signal.aborted);
      setResult(imported);
    } catch (cause) {
      if (isGone.current) tellFailure(cause);
      setProblem(`${explain(cause)} What was stored until then stays.`);
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
          <Button onClick={() => (isRunning ? ended.current.abort() : onClose())}>
            {isRunning ? 'Stop' : result === undefined ? 'Cancel' : 'Close'}
          </Button>
          {result === undefined && (
            <Button
              variant="primary"
              disabled={file === undefined || isRefused}
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
          <FileChoice file={file} onChoose={(chosen) => void choose(chosen)} />
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
              <progress class="progress" value={progress.part} aria-label="Imported" />
              <span class="meta">
                {countOf(progress.imported.stored, 'item')} stored
                {progress.imported.failed > 0 && `, ${countOf(progress.imported.failed, 'line')} refused`}
              </span>
            </div>
          )}
          <Problem text={problem} />
        </div>
      ) : (
        <Result result={result} isStopped={isStopped} />
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

interface ResultProps {
  readonly result: Imported;
  readonly isStopped: boolean;
}

function Result({ result: { stored, failed, lines }, isStopped }: ResultProps) {
  return (
    <div class="stack" role="status">
      <p>
        {isStopped && 'Stopped. '}Stored {countOf(stored, 'item')}.{' '}
        {failed === 0 ? 'No line was refused.' : `Refused ${countOf(failed, 'line')}.`}
      </p>
      {lines.length > 0 && (
        <table class="table failed-lines" tabIndex={0} aria-label="Refused lines">
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
