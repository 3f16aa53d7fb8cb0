import { keyExists, storeLines } from '../api/project.js';
import type { ImportRun } from './import-run.js';
import { itemTexts } from './item-texts.js';
import { BrokenFile, type SourceFile } from './source.js';

/** A request has about this many bytes, so that it can be repeated from memory. */
const requestBytes = 2 * 1024 * 1024;
/** And at most so many items: the service reports so many refused lines, however short they are. */
const requestItems = 10_000;
const lineEnd = Buffer.from('\n');

/** Stores the items of a file in a base. While a request is on its way, the next one is collected. */
export async function importBase(run: ImportRun, base: string, file: SourceFile): Promise<void> {
  const { path } = file;
  let lines: number[] = [];
  let texts: Buffer[] = [];
  let bytes = 0;
  let sending: Promise<void> = Promise.resolve();

  const send = async () => {
    await sending;
    if (lines.length === 0) return;
    sending = store(run, base, { path, lines, body: Buffer.concat(texts) });
    // Its failure is thrown by the next one who waits for it.
    sending.catch(() => {});
    lines = [];
    texts = [];
    bytes = 0;
  };

  try {
    for await (const { line, text, problem } of itemTexts(run.progress.through(file.open()))) {
      if (text === undefined) {
        run.setAside({ path, line, problem: problem ?? 'is not an item' });
        continue;
      }
      lines.push(line);
      texts.push(text, lineEnd);
      bytes += text.length + 1;
      if (bytes >= requestBytes || lines.length === requestItems) await send();
    }
  } catch (cause) {
    if (!(cause instanceof BrokenFile)) throw cause;
    run.setAside({ path, problem: cause.message });
  } finally {
    await send();
    await sending;
  }
}

async function store(
  { address, onlyNew, progress, report, setAside }: ImportRun,
  base: string,
  { path, lines, body }: { readonly path: string; readonly lines: readonly number[]; readonly body: Buffer },
): Promise<void> {
  const { stored, refused } = await storeLines(address, base, body, onlyNew);
  report.items += stored;
  progress.add({ items: stored });
  for (const { line, errors } of refused) {
    if (errors[0] === keyExists) report.itemsKept++;
    else setAside({ path, line: lines[line - 1] ?? line, problem: errors.join('; ') });
  }
}
