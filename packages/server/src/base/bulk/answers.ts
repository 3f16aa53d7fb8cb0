import { narrowedRange } from '../../access/scope.js';
import { noSniff, noStore } from '../../http/answer.js';
import type { Answer, Call } from '../../http/call.js';
import { expiresInOf } from '../../http/expires-in.js';
import { badRequest, payloadTooLarge } from '../../request-error.js';
import type { Item } from '../item.js';
import { expiringItem } from '../item-body.js';
import { requireItemWithin } from '../item-scope.js';
import { keyProblem } from '../key.js';
import type { BaseService } from '../service.js';
import { type ImportParts, importBytes, importItems } from './import.js';

const linesType = /^\s*application\/x-ndjson\s*(;|$)/i;
const headers = ['Content-Type', 'application/x-ndjson', ...noStore, ...noSniff] as const;
/** The size of the body is not limited: only one batch of its items is in memory at a time. */
const maxBytes = Number.POSITIVE_INFINITY;

/** Whether the body is NDJSON (docs/http.md#import-items). */
export function hasLines(call: Call): boolean {
  return linesType.test(call.headers['content-type'] ?? '');
}

/** The answer of an import: NDJSON, sent while the body is read (docs/http.md#import-items). */
export function importAnswer(
  call: Call,
  { nowSeconds }: Pick<BaseService, 'nowSeconds'>,
  storing: Pick<ImportParts, 'storeBatch' | 'maxBatchItems'>,
): Answer {
  const expiresIn = expiresInOf(call);
  const tooLarge = () => payloadTooLarge('body: too large');
  const body = call.stream(maxBytes, tooLarge, { keptBytes: importBytes, isPrompt: true });
  const toStored = (item: Item) => {
    requireItemWithin(call.grant, item);
    return expiresIn === undefined ? item : expiringItem(item, nowSeconds() + expiresIn, 'item');
  };
  return { status: 200, headers, body: importItems(body, { ...storing, toStored }) };
}

/** The answer of an export: NDJSON, sent while the items are read (docs/http.md#export-items). */
export function exportAnswer(service: BaseService, call: Call): Answer {
  const [prefix, last] = [readKeyText(call, 'prefix'), readKeyText(call, 'last')];
  const range = narrowedRange(call.grant, last === '' ? { prefix } : { prefix, gt: last });
  return { status: 200, headers, body: service.exportItems(call.project, call.name, range) };
}

/** Reads a parameter that is a key or the beginning of one; empty if it is absent. Throws a 400 `RequestError`. */
function readKeyText(call: Call, parameter: string): string {
  const text = call.query.get(parameter) ?? '';
  const rule = text === '' ? undefined : keyProblem(text);
  if (rule !== undefined) throw badRequest(`${parameter}: ${rule}`);
  return text;
}
