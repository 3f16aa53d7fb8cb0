import { openDeadline, pause } from '../http/deadline.js';
import { type Endpoint, parametersOf } from '../http/endpoint.js';
import { BasedriveError, networkError } from '../http/error.js';
import { incomplete, readLine, requestBody } from '../http/request.js';
import { createRepeats, isLost } from '../http/retry.js';
import type { Item } from '../items/item.js';
import { joined } from '../lib/bytes.js';
import type { ExportLinesOptions, ExportOptions } from './bulk.js';

type Bytes = Uint8Array<ArrayBuffer>;

const newline = 0x0a;

/** The `exportItems` of a base. */
export async function* exportItems<T>(
  endpoint: Endpoint,
  options: ExportOptions,
): AsyncGenerator<Item<T>, void, undefined> {
  const decoder = new TextDecoder();
  for await (const chunk of exportedLines(endpoint, options)) {
    for (const line of decoder.decode(chunk).trimEnd().split('\n')) {
      yield readLine(line, endpoint.options.bigint) as Item<T>;
    }
  }
}

/** The `exportLines` of a base. */
export function exportLines(
  endpoint: Endpoint,
  { onProgress, signal, ...options }: ExportLinesOptions,
): ReadableStream<Bytes> {
  const deadline = openDeadline({ signal });
  const chunks = exportedLines(endpoint, { ...options, signal: deadline.signal });
  let items = 0;
  let bytes = 0;
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        try {
          const { value: chunk } = await chunks.next();
          if (chunk) {
            bytes += chunk.length;
            for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) items++;
            onProgress?.({ items, bytes });
            return controller.enqueue(chunk);
          }
          controller.close();
        } catch (error) {
          controller.error(error);
          await chunks.return();
        }
        deadline.close();
      },
      cancel() {
        // This also ends a request from which nothing arrives.
        deadline.end(new BasedriveError('aborted', 'The stream was cancelled'));
        deadline.close();
        chunks.return().catch(() => {});
      },
    },
    // Nothing is requested before the caller reads.
    { highWaterMark: 0 },
  );
}

/**
 * All items in the order of their keys, as chunks of whole lines. When the connection is lost, it continues after the
 * last item that it gave (docs/http.md#export-items).
 */
export async function* exportedLines(
  endpoint: Endpoint,
  { prefix, last, ...options }: ExportOptions,
): AsyncGenerator<Bytes, void, undefined> {
  const { retry } = endpoint.options;
  let repeats = createRepeats(retry);
  let lastLine: Bytes | undefined;
  for (;;) {
    const after = lastLine === undefined ? last : keyOf(lastLine);
    const path = `/items?${parametersOf({ prefix, last: after })}`;
    // Before the beginning of an answer, a request is repeated by itself.
    const answer = await requestBody(endpoint, { method: 'GET', path, repeatable: true }, options);
    if (answer === undefined) throw new BasedriveError('not_found', 'Not found', { status: 404 });
    const { response, deadline } = answer;
    const reader = response.body?.getReader();
    let cut: BasedriveError | undefined;
    try {
      const rest: Bytes[] = [];
      for (;;) {
        const read = await reader?.read().catch((cause: unknown) => {
          cut = deadline.error() ?? networkError(cause);
        });
        if (!read || read.done) break;
        const { value: chunk } = read;
        const end = chunk.lastIndexOf(newline) + 1;
        if (end > 0) {
          const lines = joined([...rest.splice(0), chunk.subarray(0, end)]);
          repeats = createRepeats(retry);
          yield lines;
          lastLine = lines.subarray(lines.lastIndexOf(newline, -2) + 1);
        }
        if (end < chunk.length) rest.push(chunk.subarray(end));
      }
      // A proxy may end an answer as if it were whole.
      if (rest.length > 0) cut ??= incomplete();
    } finally {
      // A caller that stops early ends the request.
      await reader?.cancel().catch(() => {});
      deadline.close();
    }
    if (cut === undefined) return;
    const delay = isLost(cut) ? repeats() : undefined;
    if (delay === undefined) throw cut;
    const waiting = openDeadline(options);
    await pause(delay, waiting).finally(waiting.close);
  }
}

function keyOf(line: Bytes): string {
  return (readLine(new TextDecoder().decode(line)) as { key: string }).key;
}
