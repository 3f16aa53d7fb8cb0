import { Counter, type Registry } from 'prom-client';
import type { OnAnswered } from '../../http/answering.js';
import { createHistogram, type Series } from './histogram.js';

/** What is counted for a method of a route. */
interface Tally {
  readonly method: string;
  readonly route: string;
  /** The number of answers, each at its status. */
  readonly answers: Float64Array;
  readonly duration: Series;
  bodyBytes: number;
}

const seconds = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** The route of a request whose path is unknown. */
const noRoute = 'none';
/** A status has three digits. */
const statuses = 1000;

export interface RequestMetrics {
  readonly onAnswered: OnAnswered;
  readonly onRefused: (status: number) => void;
}

/**
 * Requests by method, route and status. A route is a pattern, and Node knows some 30 methods, so the number of series is
 * bounded whatever clients send.
 */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  /** The tallies of a route, one for each method that was used. */
  const tallies = new Map<string, Tally[]>();
  const seriesOf = createHistogram(registry, {
    name: 'basedrive_http_request_duration_seconds',
    help: 'Time from the head of a request to the last byte of its answer, which a slow client makes longer.',
    bounds: seconds,
  });
  const registers = [registry];
  const refused = new Counter({
    name: 'basedrive_http_refused_total',
    help: 'Refusals of bytes that never became a request: not HTTP, a head too large or too slow.',
    labelNames: ['status'],
    registers,
  });
  new Counter({
    name: 'basedrive_http_requests_total',
    help: 'Answered requests.',
    labelNames: ['method', 'route', 'status'],
    registers,
    collect() {
      this.reset();
      for (const { method, route, answers } of allTallies())
        for (const [status, count] of answers.entries())
          if (count > 0) this.inc({ method, route, status }, count);
    },
  });
  new Counter({
    name: 'basedrive_http_internal_errors_total',
    help: 'Requests that were answered 500. It is there before the first of them, so that a rate sees that one too.',
    registers,
    collect() {
      this.reset();
      for (const { answers } of allTallies()) this.inc(answers[500]);
    },
  });
  new Counter({
    name: 'basedrive_http_answer_body_bytes_total',
    help: 'Bytes in the bodies of answers.',
    labelNames: ['method', 'route'],
    registers,
    collect() {
      this.reset();
      for (const { method, route, bodyBytes } of allTallies()) this.inc({ method, route }, bodyBytes);
    },
  });

  function* allTallies(): Generator<Tally> {
    for (const ofRoute of tallies.values()) yield* ofRoute;
  }

  function tallyOf(route: string, method: string): Tally {
    const ofRoute = tallies.get(route);
    if (ofRoute !== undefined) for (const tally of ofRoute) if (tally.method === method) return tally;
    const answers = new Float64Array(statuses);
    const tally = { method, route, answers, duration: seriesOf({ method, route }), bodyBytes: 0 };
    if (ofRoute === undefined) tallies.set(route, [tally]);
    else ofRoute.push(tally);
    return tally;
  }

  return {
    onAnswered({ method, route = noRoute }, status, bytes, durationMs) {
      const tally = tallyOf(route, method);
      tally.answers[status]! += 1;
      tally.duration.observe(durationMs / 1000);
      tally.bodyBytes += bytes;
    },
    onRefused: (status) => refused.inc({ status }),
  };
}
