import type { PutAllOptions, PutAllResult, PutManyResult } from './base.js';
import { openDeadline } from './deadline.js';
import type { CallOptions } from './endpoint.js';
import { BasedriveError } from './error.js';
import type { NewItem } from './http-types.js';
import type { Data } from './item.js';
import { expiryOf, newItem, type RequestExpiry, withKey } from './new-item.js';

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
  const { concurrency = 4, onProgress } = options;
  const expiry = expiryOf(options);
  const deadline = openDeadline(options);
  const { signal } = deadline;
  const result: PutAllResult<T> = { stored: 0, failed: [] };
  const running = new Set<Promise<void>>();
  /**
   * The keys of the current batch and of the batches in flight. Two writes of the same key must stay in their order.
   */
  let busyKeys = new Set<unknown>();
  let batch: Entry<T>[] = [];

  const fail = (entry: Entry<T>, error: BasedriveError) => result.failed.push({ item: entry.data, error });

  /** Stores a batch. If one item is refused, the service has stored none of them, so each is sent by itself. */
  const store = async (entries: Entry<T>[]): Promise<void> => {
    try {
      await putItems(
        entries.map(({ item }) => item),
        expiry,
        { signal },
      );
      result.stored += entries.length;
    } catch (cause) {
      const error = asError(cause);
      if (error.code !== 'refused' && error.code !== 'invalid') result.stoppedBy ??= error;
      else if (entries.length > 1) {
        for (const entry of entries) await store([entry]);
        return;
      }
      for (const entry of entries) fail(entry, error);
    }
    onProgress?.({ stored: result.stored, failed: result.failed.length });
  };

  const start = () => {
    const entries = batch;
    batch = [];
    if (entries.length === 0) return;
    const run = store(entries).finally(() => {
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
    for await (const data of items) {
      if (result.stoppedBy || signal.aborted) break;
      let entry: Entry<T>;
      try {
        entry = { data, item: withKey(newItem(data, undefined, expiry)) };
      } catch (cause) {
        fail({ data, item: {} }, asError(cause));
        continue;
      }
      if (busyKeys.has(entry.item.key)) await finishAll();
      busyKeys.add(entry.item.key);
      batch.push(entry);
      if (batch.length < batchSize) continue;
      start();
      while (running.size >= concurrency) await Promise.race(running);
    }
    if (result.stoppedBy) for (const entry of batch) fail(entry, result.stoppedBy);
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

/** Any other error comes from the caller's items or `onProgress`, and is thrown to the caller. */
function asError(cause: unknown): BasedriveError {
  if (cause instanceof BasedriveError) return cause;
  throw cause;
}
