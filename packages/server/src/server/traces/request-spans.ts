import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  type HrTime,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { RequestTrace } from '../../http/answering.js';
import type { ServerAttributes } from './server-attributes.js';

/** A part of the work of a request, in its own span. */
export interface WorkSpan {
  /** Ends the span. `cause`: what the work failed with; only the name of its class is sent. */
  end(cause?: unknown): void;
  set(attribute: string, value: number): void;
}

/** The span of each request, and those below it. */
export interface RequestSpans extends RequestTrace {
  /**
   * Begins a span below that of the request whose work this is. Undefined if there is none: for background work, a
   * request that is not sampled or is answered already, and when it has very many of them.
   */
  begin(name: string): WorkSpan | undefined;
}

interface Current {
  readonly span: Span;
  readonly context: Context;
  /** What `performance.now()` is added to. The SDK's own sum differs by a millisecond from span to span. */
  readonly originMs: number;
  children: number;
  isAnswered: boolean;
}

/** A request that reads a million rows in a thousand steps must not make a thousand spans. */
const maxChildren = 64;
/** The methods of the semantic conventions for HTTP; any other one becomes `_OTHER`. */
const knownMethods = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'TRACE',
]);
const headers = {
  get: (from: Readonly<Record<string, unknown>>, name: string) => from[name] as string | string[] | undefined,
  keys: (from: Readonly<Record<string, unknown>>) => Object.keys(from),
};

/**
 * Makes the spans of requests after the semantic conventions for HTTP servers (docs/operations.md#traces). They have
 * the pattern of the route, and nothing that names a base, a key, a file or a query. `server`: attributes
 * of all spans of requests.
 */
export function createRequestSpans(tracer: Tracer, server: ServerAttributes): RequestSpans {
  const requests = new AsyncLocalStorage<Current | undefined>();
  const propagator = new W3CTraceContextPropagator();

  return {
    within(exchange, work) {
      const { method, startedMs, requestId } = exchange;
      const parent = propagator.extract(ROOT_CONTEXT, exchange.headers, headers);
      const attributes = {
        'http.request.method': knownMethods.has(method) ? method : '_OTHER',
        ...server,
        'basedrive.request_id': requestId,
      };
      const originMs = Date.now() - performance.now();
      const options = { kind: SpanKind.SERVER, startTime: timeOf(originMs + startedMs), attributes };
      const span = tracer.startSpan(spanName(method), options, parent);
      const context = trace.setSpan(parent, span);
      const current = { span, context, originMs, children: 0, isAnswered: false };
      requests.run(span.isRecording() ? current : undefined, work);
    },

    answered({ method, route }, status, { bytes, failure }) {
      const current = requests.getStore();
      if (current === undefined) return;
      const { span, originMs } = current;
      current.isAnswered = true;
      if (route !== undefined) {
        span.updateName(`${spanName(method)} ${route}`);
        span.setAttribute('http.route', route);
      }
      span.setAttribute('http.response.status_code', status);
      span.setAttribute('http.response.body.size', bytes);
      if (failure !== undefined) setError(span, nameOf(failure));
      else if (status >= 500) setError(span, String(status));
      span.end(timeOf(originMs + performance.now()));
    },

    begin(name) {
      const current = requests.getStore();
      if (current === undefined || current.isAnswered || ++current.children > maxChildren) return undefined;
      const { context, originMs } = current;
      const now = () => timeOf(originMs + performance.now());
      const span = tracer.startSpan(name, { startTime: now() }, context);
      return {
        set: (attribute, value) => span.setAttribute(attribute, value),
        end(cause) {
          if (cause !== undefined) setError(span, nameOf(cause));
          span.end(now());
        },
      };
    },
  };
}

/** Seconds and nanoseconds. */
function timeOf(epochMs: number): HrTime {
  const seconds = Math.floor(epochMs / 1000);
  return [seconds, Math.floor((epochMs - seconds * 1000) * 1e6)];
}

function setError(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The name of its class: a message may hold a path. */
function nameOf(failure: unknown): string {
  return (failure as Partial<Error>).name ?? 'Error';
}

function spanName(method: string): string {
  return knownMethods.has(method) ? method : 'HTTP';
}
