import type { Batch } from './batch.js';
import type { StreamFormat } from './formats.js';

/** Less than proxies and networks keep a silent connection. */
const silentMs = 15_000;

/** The bytes of a stream of changes, which ends when the reader is over. */
export async function* streamChanges(
  first: Batch,
  rest: AsyncGenerator<Batch>,
  format: StreamFormat,
): AsyncGenerator<Buffer> {
  let { position } = first;
  let wasLive = false;
  const textOf = (batch: Batch) => {
    ({ position } = batch);
    if (batch.changes.length > 0) return format.changesText(batch);
    if (!batch.isLive || wasLive) return '';
    wasLive = true;
    return format.liveText(position);
  };
  try {
    yield Buffer.from(format.head + textOf(first));
    let next = rest.next();
    for (;;) {
      const found = await within(silentMs, next);
      if (found === undefined) {
        yield Buffer.from(format.quietText(position));
        continue;
      }
      if (found.done) return;
      const text = textOf(found.value);
      if (text !== '') yield Buffer.from(text);
      next = rest.next();
    }
  } finally {
    // It ends when it sees that the reader is over, which nobody waits for.
    void rest.return(undefined).catch(() => {});
  }
}

/** What a promise resolves to; undefined if it takes longer. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined).unref();
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
