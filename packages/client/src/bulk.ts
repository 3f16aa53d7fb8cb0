import type { ImportOptions, PutAllResult } from './base.js';
import type { CallOptions, Endpoint } from './endpoint.js';
import { percentEncode } from './endpoint.js';
import { BasedriveError } from './error.js';
import type { ImportLine } from './http-types.js';
import type { Data, Item } from './item.js';
import { readJson, writeJson } from './json.js';
import { expiryAttribute, newItem, withKey } from './new-item.js';
import { networkError, requestBody } from './request.js';

const type = 'application/x-ndjson';
/**
 * The number of characters at which a request ends. Requests are limited because not every browser can send a stream
 * with `fetch`.
 */
const maxCharacters = 1024 * 1024;
/** The number of items at which a request ends: the service reports so many refused lines, however short they are. */
const maxItems = 10_000;

/** The lines of an answer, as they arrive. */
async function* linesOf(endpoint: Endpoint, call: Parameters<typeof requestBody>[1], options: CallOptions) {
  const answer = await requestBody(endpoint, call, options);
  if (answer === undefined) throw new BasedriveError('not_found', 'Not found', { status: 404 });
  const { response, deadline } = answer;
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let rest = '';
    for (;;) {
      const chunk = await reader?.read().catch((cause: unknown) => {
        throw deadline.error() ?? networkError(cause);
      });
      if (chunk === undefined || chunk.done) return;
      const lines = (rest + chunk.value).split('\n');
      rest = lines.pop() as string;
      for (const line of lines) yield readJson(line, endpoint.options.bigint);
    }
  } finally {
    // A caller that stops early ends the request.
    await reader?.cancel().catch(() => {});
    deadline.close();
  }
}

/** The `exportItems` of a base. */
export function exportItems<T>(endpoint: Endpoint, prefix: string, options: CallOptions) {
  const path = prefix === '' ? '/items' : `/items?prefix=${percentEncode('prefix', prefix)}`;
  const call = { method: 'GET', path, repeatable: true } as const;
  return linesOf(endpoint, call, options) as AsyncGenerator<Item<T>, void, undefined>;
}

/** The `importItems` of a base. */
export async function importItems<T>(
  endpoint: Endpoint,
  items: Iterable<Data<T>> | AsyncIterable<Data<T>>,
  { insert, onProgress, signal, timeoutMs, ...expiry }: ImportOptions,
): Promise<PutAllResult<T>> {
  const expires = expiryAttribute(expiry);
  const result: PutAllResult<T> = { stored: 0, failed: [] };
  let batch: Data<T>[] = [];
  let body = '';

  const send = async () => {
    if (batch.length === 0) return;
    const call = {
      method: insert ? 'POST' : 'PUT',
      path: '/items',
      body,
      type,
      repeatable: !insert,
    } as const;
    let isWhole = false;
    for await (const value of linesOf(endpoint, call, { signal, timeoutMs })) {
      const { line, errors = [], stored = 0, unreported = 0 } = value as ImportLine;
      isWhole = line === undefined && unreported === 0;
      if (line === undefined) result.stored += stored;
      else fail(batch[line - 1] as Data<T>, errors);
    }
    if (!isWhole) throw new BasedriveError('network', 'The answer is incomplete');
    batch = [];
    body = '';
    onProgress?.({ stored: result.stored, failed: result.failed.length });
  };
  const fail = (item: Data<T>, errors: readonly string[]) => {
    const code = errors[0] === 'Key already exists' ? 'conflict' : 'refused';
    result.failed.push({ item, error: new BasedriveError(code, errors.join('; '), { errors }) });
  };

  for await (const data of items) {
    let line: string;
    try {
      line = writeJson(withKey(newItem(data, undefined, expires)));
    } catch (cause) {
      if (!(cause instanceof BasedriveError)) throw cause;
      result.failed.push({ item: data, error: cause });
      continue;
    }
    batch.push(data);
    body += `${line}\n`;
    if (body.length >= maxCharacters || batch.length === maxItems) await send();
  }
  await send();
  return result;
}
