import { generatedKeyLength } from '../../new-item.js';
import { randomText } from '../../random-text.js';
import { storeLines } from '../api/project.js';
import { openBrace } from '../json-bytes.js';
import type { ImportRun } from './import-run.js';
import { itemTexts } from './item-texts.js';
import { BrokenFile, type SourceFile } from './source.js';

/** A request has about this many bytes, so that it can be repeated from memory. */
const requestBytes = 2 * 1024 * 1024;
/** And at most so many items: the service reports so many refused lines, however short they are. */
const requestItems = 10_000;
const lineEnd = Buffer.from('\n');
/** How an export writes an item. */
const usualBeginning = Buffer.from('{"key":');

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
      const keyed = withKey(text);
      lines.push(line);
      texts.push(keyed, lineEnd);
      bytes += keyed.length + 1;
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

/**
 * The text of an item, with a generated key if it has none: so a request that is repeated after a lost answer does not
 * store it twice. What is no item stays as it is, and the service says what is wrong with it.
 */
function withKey(text: Buffer): Buffer {
  if (text.subarray(0, usualBeginning.length).equals(usualBeginning)) return text;
  let value: unknown;
  try {
    value = JSON.parse(text.toString());
  } catch {
    return text;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return text;
  if (Object.hasOwn(value, 'key')) return text;
  const separator = Object.keys(value).length === 0 ? '' : ',';
  const key = `{"key":"${randomText(generatedKeyLength)}"${separator}`;
  return Buffer.concat([Buffer.from(key), text.subarray(text.indexOf(openBrace) + 1)]);
}

async function store(
  { address, onlyNew, progress, report, setAside }: ImportRun,
  base: string,
  { path, lines, body }: { readonly path: string; readonly lines: readonly number[]; readonly body: Buffer },
): Promise<void> {
  const { stored, refused } = await storeLines(address, base, body, onlyNew);
  report.items += stored;
  progress.add({ items: stored });
  for (const { line, errors = [], codes } of refused) {
    if (codes?.[0]?.code === 'item_exists') report.itemsKept++;
    else setAside({ path, line: lines[line - 1] ?? line, problem: errors.join('; ') });
  }
}
