import { DiagLogLevel, diag } from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Store } from '../../engines/store.js';
import { resolveWithin } from '../../lib/concurrency/time-limit.js';
import type { Log } from '../../lib/log.js';
import { version } from '../../lib/version.js';
import { wrapStore } from '../wrapped-store.js';
import { createRequestSpans } from './request-spans.js';
import type { ServerAttributes } from './server-attributes.js';
import { tracedCalls, tracedWrites } from './traced-calls.js';

const closeWithinMs = 3000;
const reportEveryMs = 60_000;

/** What is traced for `--traces` (docs/operations.md#traces). */
export type Traces = ReturnType<typeof createTraces>;

/**
 * Sends spans to a collector, as the standard variables of the environment say, which the SDK reads. A collector that
 * is away or slow delays nothing: spans that cannot be sent are dropped, which is logged once a minute at most.
 */
export function createTraces(server: ServerAttributes, log: Log) {
  let reportedMs = Number.NEGATIVE_INFINITY;
  const report = (fields: Readonly<Record<string, unknown>>) => {
    if (performance.now() - reportedMs < reportEveryMs) return;
    reportedMs = performance.now();
    log.error(fields, 'traces could not be sent');
  };
  const said = (message: string) => report({ reason: message });
  const quiet = () => {};
  diag.setLogger(
    { error: said, warn: said, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
  setGlobalErrorHandler((cause) => report({ err: cause }));
  const own = resourceFromAttributes({ 'service.name': 'basedrive', 'service.version': version() });
  const provider = new BasicTracerProvider({
    // What comes later wins: the operator's variables.
    resource: defaultResource()
      .merge(own)
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const requests = createRequestSpans(provider.getTracer('basedrive', version()), server);
  return {
    requests,
    /** The same store, whose calls are spans of the request that they belong to. */
    observe: (store: Store) =>
      wrapStore(store, {
        rows: (operation) =>
          (operation === 'write' ? tracedWrites : tracedCalls)(`rows ${operation}`, requests.begin),
        blobs: (operation) => tracedCalls(`blobs ${operation}`, requests.begin),
      }),
    // It rejects if the last spans cannot be sent. That must not be a failure of the server's stop.
    /** Sends what has not been sent, within a few seconds. */
    close: () =>
      resolveWithin(
        closeWithinMs,
        provider.shutdown().catch((cause) => report({ err: cause })),
      ),
  };
}
