import { concurrencyOf } from '../http/concurrency.js';
import { eachUntilEnded, openDeadline } from '../http/deadline.js';
import type { CallOptions } from '../http/endpoint.js';
import { BasedriveError } from '../http/error.js';
import type { NewItem } from '../http-types.js';
import { expiryOf, type RequestExpiry } from '../items/expiry.js';
import type { Data } from '../items/item.js';
import { newItem, withKey } from '../items/new-item.js';
import type { PutAllOptions, PutAllResult, PutManyResult } from './base-options.js';

const batchSize = 25;

type PutItems<T> = (
  items: NewItem[],
  expiry: RequestExpiry,
  options: CallOptions,
) => Promise<PutManyResult<T>>;
type Entry<T> = { readonly data: Data<T>; readonly item: NewItem };

/** The `putAll` of a base. `putItems` stores up to 25 items in one request. */
export async function putAll<T>(
  items: Iterable<Data<T>> | AsyncIterable<Data<T>>,
  options: PutAllOptions,
  putItems: PutItems<T>,
): Promise<PutAllResult<T>> {
  const { onProgress } = options;
  const concurrency = concurrencyOf(options.concurrency);
  const expiry = expiryOf(options);
  const deadline = openDeadline(options);
  const { signal } = deadline;
  const result: PutAllResult<T> = { stored: 0, failed: [] };
  const put = (some: NewItem[]) => putItems(some, expiry, { signal });
  const running = new Set<Promise<void>>();
  /**
   * The keys of the current batch and of the batches in flight. Two writes of the same key must stay in their order.
   */
  let busyKeys = new Set<unknown>();
  let batch: Entry<T>[] = [];

  const start = () => {
    const entries = batch;
    batch = [];
    if (entries.length === 0) return;
    const run = store(entries, put, result, onProgress).finally(() => {
      running.delete(run);
      for (const { item } of entries) busyKeys.delete(item.key);
    });
    // An error of the caller's `onProgress` is thrown below. Until then it must not count as an unhandled rejection.
    run.catch(() => {});
    running.add(run);
  };

  const finishAll = async () => {
    start();
    await Promise.all(running);
    busyKeys = new Set();
  };

  try {
    for await (const data of eachUntilEnded(items, deadline)) {
      if (result.stoppedBy || signal.aborted) break;
      let entry: Entry<T>;
      try {
        entry = { data, item: withKey(newItem(data, undefined, expiry)) };
      } catch (cause) {
        fail(result, data, asError(cause));
        continue;
      }
      if (busyKeys.has(entry.item.key)) await finishAll();
      busyKeys.add(entry.item.key);
      batch.push(entry);
      if (batch.length < batchSize) continue;
      start();
      while (running.size >= concurrency) await Promise.race(running);
    }
    if (result.stoppedBy) for (const entry of batch) fail(result, entry.data, result.stoppedBy);
    else start();
    await Promise.all(running);
    const ended = deadline.error();
    if (ended) throw ended;
    return result;
  } finally {
    // If the caller's items or `onProgress` threw, the call still waits for the requests in flight.
    await Promise.allSettled(running);
    deadline.close();
  }
}

/** Stores a batch. If one item is refused, the service has stored none of them, so each is sent by itself. */
async function store<T>(
  entries: Entry<T>[],
  put: (items: NewItem[]) => Promise<unknown>,
  result: PutAllResult<T>,
  onProgress: PutAllOptions['onProgress'],
): Promise<void> {
  try {
    await put(entries.map(({ item }) => item));
    result.stored += entries.length;
  } catch (cause) {
    const error = asError(cause);
    if (error.code !== 'refused' && error.code !== 'invalid') result.stoppedBy ??= error;
    else if (entries.length > 1) {
      for (const entry of entries) await store([entry], put, result, onProgress);
      return;
    }
    for (const { data } of entries) fail(result, data, error);
  }
  onProgress?.({ stored: result.stored, failed: result.failed.length });
}

function fail<T>(result: PutAllResult<T>, item: Data<T>, error: BasedriveError): void {
  result.failed.push({ item, error });
}

/** Any other error comes from the caller's items or `onProgress`, and is thrown to the caller. */
function asError(cause: unknown): BasedriveError {
  if (cause instanceof BasedriveError) return cause;
  throw cause;
}
