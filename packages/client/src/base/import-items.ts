import { eachUntilEnded, openDeadline, untilEnded } from '../http/deadline.js';
import { type CallOptions, type Endpoint, parametersOf } from '../http/endpoint.js';
import { BasedriveError } from '../http/error.js';
import { writeJson } from '../http/json.js';
import { incomplete, requestLines } from '../http/request.js';
import { closeSource, type FileData, type FileSource, openSource } from '../http/source.js';
import type { ImportLine } from '../http-types.js';
import { expiryOf, type RequestExpiry } from '../items/expiry.js';
import type { Data } from '../items/item.js';
import { newItem, withKey } from '../items/new-item.js';
import type { PutAllResult } from './base-options.js';
import type { ImportLinesOptions, ImportLinesResult, ImportOptions } from './bulk.js';
import { maxLinesPerRequest, readLineBatches } from './line-batches.js';

/** The number of characters at which a request ends: it can be repeated from memory. */
const maxCharacters = 1024 * 1024;
const maxListed = 1000;

type Answer = (lines: readonly ImportLine[]) => void;

/** The `importItems` of a base. */
export async function importItems<T>(
  endpoint: Endpoint,
  items: Iterable<Data<T>> | AsyncIterable<Data<T>>,
  { insert, onProgress, signal, timeoutMs, ...expiry }: ImportOptions,
): Promise<PutAllResult<T>> {
  const expires = expiryOf(expiry);
  const result: PutAllResult<T> = { stored: 0, failed: [] };
  let batch: Data<T>[] = [];
  let body = '';
  const deadline = openDeadline({ signal });

  const sendAll = inOrder(endpoint, { ...expires, insert, signal, timeoutMs }, async (send) => {
    const sendBatch = async () => {
      const sent = batch;
      const text = body;
      batch = [];
      body = '';
      // Each item has its key, so a repeated request stores it only once.
      await send({ body: text, hasKeys: () => true }, (lines) => {
        for (const said of lines) {
          const { line, stored = 0, unreported = 0 } = said;
          if (unreported > 0) throw incomplete();
          if (line === undefined) result.stored += stored;
          else result.failed.push({ item: sent[line - 1] as Data<T>, error: lineError(said) });
        }
        onProgress?.({ stored: result.stored, failed: result.failed.length });
      });
    };
    for await (const data of eachUntilEnded(items, deadline)) {
      try {
        body += `${writeJson(withKey(newItem(data, undefined, expires)))}\n`;
        batch.push(data);
      } catch (cause) {
        if (!(cause instanceof BasedriveError)) throw cause;
        result.failed.push({ item: data, error: cause });
      }
      if (body.length >= maxCharacters || batch.length === maxLinesPerRequest) await sendBatch();
    }
    if (batch.length > 0) await sendBatch();
  });
  await sendAll.finally(() => deadline.close());
  return result;
}

/** The `importLines` of a base. */
export async function importLines(
  endpoint: Endpoint,
  data: FileData | FileSource,
  { insert, onProgress, onFailed, signal, timeoutMs }: ImportLinesOptions,
): Promise<ImportLinesResult> {
  const source = await openSource(data);
  const deadline = openDeadline({ signal });
  // A source may give nothing for a long time.
  const read = (bytes: number) => untilEnded(source.read(bytes), deadline);
  const result: ImportLinesResult = { stored: 0, failedCount: 0, failed: [] };

  const fail = (line: number, error: BasedriveError) => {
    if (result.failed.length < maxListed) result.failed.push({ line, error });
    onFailed?.({ line, error });
  };

  try {
    await inOrder(endpoint, { insert, signal, timeoutMs }, async (send) => {
      for await (const batch of readLineBatches(read)) {
        await send(batch, (lines) => {
          for (const said of lines) {
            const { line, stored = 0, failed = 0 } = said;
            if (line !== undefined) fail(batch.linesBefore + line, lineError(said));
            result.stored += stored;
            result.failedCount += failed;
          }
          const { stored, failedCount: failed } = result;
          onProgress?.({ stored, failed, sent: batch.end, total: source.size });
        });
      }
    });
  } finally {
    await closeSource(source, deadline);
  }
  return result;
}

/** The lines of one request, and whether each of them has a key. */
interface Batch {
  readonly body: string | Uint8Array;
  hasKeys(): boolean;
}

interface InOrderOptions extends CallOptions, RequestExpiry {
  readonly insert: boolean | undefined;
}

/**
 * Sends batches, one after the other (docs/http.md#import-items). `produce` prepares the next batch while one is on
 * its way. Rejects when all has settled.
 */
async function inOrder(
  endpoint: Endpoint,
  { insert, expires_in, ...options }: InOrderOptions,
  produce: (send: (batch: Batch, onAnswer: Answer) => Promise<void>) => Promise<void>,
): Promise<void> {
  let sending = Promise.resolve();
  const post = async ({ body, hasKeys }: Batch, onAnswer: Answer) => {
    const call = {
      method: insert ? 'POST' : 'PUT',
      path: `/items?${parametersOf({ expires_in })}`,
      body,
      type: 'application/x-ndjson',
      // An item that was inserted the first time would be a conflict the second time.
      repeatable: () => !insert && hasKeys(),
    } as const;
    onAnswer(await requestLines<ImportLine>(endpoint, call, options, (last) => last?.stored !== undefined));
  };
  try {
    await produce(async (batch, onAnswer) => {
      await sending;
      sending = post(batch, onAnswer);
      // Its failure is thrown by the next one who waits for it.
      sending.catch(() => {});
    });
  } finally {
    await sending;
  }
}

function lineError({ errors = [], codes = [] }: ImportLine): BasedriveError {
  const code = codes[0]?.code === 'item_exists' ? 'conflict' : 'refused';
  return new BasedriveError(code, errors.join('; '), { errors, codes });
}
