import { useState } from 'preact/hooks';
import { explain } from '../../api/errors.js';
import { Button } from '../../ui/button.js';
import { CheckField } from '../../ui/check-field.js';
import { Dialog } from '../../ui/dialog.js';
import { countOf } from '../../ui/format.js';
import { Problem } from '../../ui/problem.js';
import { CheckedTable } from './csv/checked-table.js';
import { type CsvPlan, planFor, planProblem } from './csv/csv-plan.js';
import { CsvPlanForm } from './csv/csv-plan-form.js';
import { type CsvForm, type CsvSample, readSample } from './csv/csv-reader.js';
import { FileChoice } from './file-choice.js';
import { fileProblem, isTable } from './import-request.js';
import { ImportResult } from './import-result.js';
import { type ImportWork, type UsedImport, useImport } from './use-import.js';

interface ImportDialogProps {
  readonly base: string;
  onDone(): void;
  onClose(): void;
}

/** A file that is read as a table, and what becomes of it. */
interface Table {
  readonly sample: CsvSample;
  readonly plan: CsvPlan;
}

/** Imports a file of items or a table, shows how far it is, and which lines were refused. */
export function ImportDialog({ base, onDone, onClose }: ImportDialogProps) {
  const [file, setFile] = useState<File>();
  const [table, setTable] = useState<Table>();
  const [isReplacing, setReplacing] = useState(true);
  const [isRefused, setRefused] = useState(false);
  const run = useImport(base, onDone);
  const { work, result } = run;
  const wrong = table === undefined ? undefined : planProblem(table.plan);

  async function read(chosen: File, given?: Partial<CsvForm>): Promise<void> {
    run.reset();
    try {
      const sample = (await isTable(chosen)) ? await readSample(chosen, given) : undefined;
      setTable(sample === undefined ? undefined : { sample, plan: planFor(sample) });
      const problem = sample === undefined ? await fileProblem(chosen) : undefined;
      run.setProblem(problem);
      setRefused(problem !== undefined);
    } catch (cause) {
      run.setProblem(explain(cause));
      setRefused(true);
    }
  }

  const isReady = file !== undefined && !isRefused && wrong === undefined;
  const start = () => file !== undefined && void run.start(file, table?.plan, isReplacing);
  return (
    <Dialog
      title="Import items"
      form={result === undefined && table === undefined ? 'narrow' : 'wide'}
      onClose={onClose}
      actions={
        <ImportActions
          run={run}
          isReady={isReady}
          onCheck={
            table === undefined || file === undefined ? undefined : () => void run.check(file, table.plan)
          }
          onStart={start}
          onClose={onClose}
        />
      }
    >
      {result !== undefined ? (
        <ImportResult result={result} isStopped={run.isStopped} />
      ) : (
        <div class="stack">
          <FileChoice
            file={file}
            onChoose={(chosen) => {
              setFile(chosen);
              void read(chosen);
            }}
          />
          {table !== undefined && file !== undefined && (
            <CsvPlanForm
              {...table}
              onForm={(form) => void read(file, { ...table.plan.form, ...form })}
              onPlan={(plan) => {
                run.reset();
                setTable({ ...table, plan });
              }}
            />
          )}
          <CheckField
            text="Replace items that have the same key"
            checked={isReplacing}
            onChange={setReplacing}
          />
          {work !== undefined && <Progress work={work} />}
          {run.checked !== undefined && <CheckedTable checked={run.checked} isReplacing={isReplacing} />}
          <Problem text={wrong ?? run.problem} />
        </div>
      )}
    </Dialog>
  );
}

interface ImportActionsProps {
  readonly run: UsedImport;
  readonly isReady: boolean;
  /** Absent where there is nothing to check beforehand. */
  readonly onCheck: (() => void) | undefined;
  onStart(): void;
  onClose(): void;
}

function ImportActions({ run, isReady, onCheck, onStart, onClose }: ImportActionsProps) {
  const { work, result, stop } = run;
  return (
    <>
      <Button
        text={work !== undefined ? 'Stop' : result === undefined ? 'Cancel' : 'Close'}
        onClick={work === undefined ? onClose : stop}
      />
      {result === undefined && onCheck !== undefined && (
        <Button text="Check" disabled={!isReady} busy={work?.name === 'checking'} onClick={onCheck} />
      )}
      {result === undefined && (
        <Button
          text="Import"
          variant="primary"
          disabled={!isReady}
          busy={work?.name === 'importing'}
          onClick={onStart}
        />
      )}
    </>
  );
}

function Progress({ work: { name, part, imported } }: { readonly work: ImportWork }) {
  return (
    <div class="stack" role="status">
      <progress class="progress" value={part} aria-label={name === 'importing' ? 'Imported' : 'Checked'} />
      {imported !== undefined && (
        <span class="meta">
          {countOf(imported.stored, 'item')} stored
          {imported.failed > 0 && `, ${countOf(imported.failed, 'line')} refused`}
        </span>
      )}
    </div>
  );
}
