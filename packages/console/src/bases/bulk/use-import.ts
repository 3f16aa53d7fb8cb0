import { useEffect, useRef, useState } from 'preact/hooks';
import { explain } from '../../api/errors.js';
import { countOf } from '../../ui/format.js';
import { tell, tellFailure } from '../../ui/toast.js';
import { type Checked, checkTable } from './csv/check-csv.js';
import type { CsvPlan } from './csv/csv-plan.js';
import { importTable } from './csv/import-table.js';
import { type Imported, importFile } from './import-request.js';
import { storedKeys } from './matches.js';

/** What is being done with the file. */
export interface ImportWork {
  readonly name: 'importing' | 'checking';
  /** From 0 to 1. */
  readonly part: number;
  readonly imported?: Imported;
}

export type UsedImport = ReturnType<typeof useImport>;

/** Imports or checks a file, and says how far it is. What is closed is stopped. */
export function useImport(base: string, onDone: () => void) {
  const [work, setWork] = useState<ImportWork>();
  const [result, setResult] = useState<Imported>();
  const [checked, setChecked] = useState<Checked>();
  const [problem, setProblem] = useState<string>();
  const [isStopped, setStopped] = useState(false);
  const ended = useRef(new AbortController());
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
      ended.current.abort();
    },
    [],
  );

  async function start(file: File, plan: CsvPlan | undefined, isReplacing: boolean): Promise<void> {
    setWork({ name: 'importing', part: 0, imported: { stored: 0, failed: 0, lines: [] } });
    setProblem(undefined);
    try {
      const { signal } = ended.current;
      const onPart = (part: number, imported: Imported) => setWork({ name: 'importing', part, imported });
      const options = { isReplacing, signal, onDone: onPart };
      const imported = await (plan === undefined
        ? importFile(base, file, options)
        : importTable(base, file, plan, options));
      if (isGone.current) tell(`Stored ${countOf(imported.stored, 'item')}, then stopped`);
      setStopped(signal.aborted);
      setResult(imported);
    } catch (cause) {
      if (isGone.current) tellFailure(cause);
      setProblem(`${explain(cause)} What was stored until then stays.`);
    }
    setWork(undefined);
    onDone();
  }

  /** Reads the whole table, and stores nothing. */
  async function check(file: File, plan: CsvPlan): Promise<void> {
    setChecked(undefined);
    setProblem(undefined);
    setWork({ name: 'checking', part: 0 });
    const { signal } = ended.current;
    try {
      const stored = plan.keyColumn === undefined ? undefined : await storedKeys(base, signal);
      const onPart = (part: number) => setWork({ name: 'checking', part });
      const found = await checkTable(file, plan, { signal, stored, onPart });
      if (!signal.aborted) setChecked(found);
    } catch (cause) {
      setProblem(explain(cause));
    }
    setWork(undefined);
  }

  return {
    work,
    result,
    isStopped,
    checked,
    problem,
    setProblem,
    /** Forgets what was found of another file, or under another plan. */
    reset() {
      setChecked(undefined);
      setProblem(undefined);
    },
    start,
    check,
    stop: () => ended.current.abort(),
  };
}
