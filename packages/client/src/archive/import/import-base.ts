import type { FailedLine, ImportLinesProgress } from '../../base/bulk.js';
import { importLines } from '../../base/import-items.js';
import { BasedriveError } from '../../http/error.js';
import { generatedKeyLength } from '../../items/new-item.js';
import { randomText } from '../../lib/random-text.js';
import { endpointOf } from '../api/address.js';
import { openBrace } from '../json-bytes.js';
import type { ImportRun } from './import-run.js';
import { itemTexts } from './item-texts.js';
import { BrokenFile, type SourceFile } from './source.js';

const lineEnd = Buffer.from('\n');
/** The bytes of items that are passed on at once. */
const chunkBytes = 64 * 1024;
/** How an export writes an item. */
const usualBeginning = Buffer.from('{"key":');

/** Stores the items of a file in a base. While a request is on its way, the next one is collected. */
export async function importBase(run: ImportRun, base: string, file: SourceFile): Promise<void> {
  const { address, onlyNew, progress, report, setAside } = run;
  const { path } = file;
  /** The lines of the items that the service has not answered yet. */
  const lines: number[] = [];
  let answered = 0;
  let stored = 0;
  let refused = 0;

  async function* texts(): AsyncGenerator<Buffer, void, undefined> {
    let chunk: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const { line, text, problem } of itemTexts(progress.through(file.open()))) {
        if (text === undefined) {
          setAside({ path, line, problem: problem ?? 'is not an item' });
          continue;
        }
        lines.push(line);
        const keyed = withKey(text);
        chunk.push(keyed, lineEnd);
        bytes += keyed.length;
        if (bytes < chunkBytes) continue;
        yield Buffer.concat(chunk);
        chunk = [];
        bytes = 0;
      }
    } catch (cause) {
      if (!(cause instanceof BrokenFile)) throw cause;
      setAside({ path, problem: cause.message });
    }
    yield Buffer.concat(chunk);
  }

  const onFailed = ({ line, error }: FailedLine) => {
    refused++;
    if (error.code === 'conflict') report.itemsKept++;
    else setAside({ path, line: lines[line - 1 - answered] ?? line, problem: error.message });
  };
  const onProgress = (now: ImportLinesProgress) => {
    if (now.failed > refused)
      throw new BasedriveError('unexpected', `${now.failed - refused} refused lines were not reported`);
    report.items += now.stored - stored;
    progress.add({ items: now.stored - stored });
    stored = now.stored;
    lines.splice(0, stored + refused - answered);
    answered = stored + refused;
  };
  const options = { insert: onlyNew, signal: address.signal, onFailed, onProgress };
  await importLines(endpointOf(address, base), texts(), options);
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
