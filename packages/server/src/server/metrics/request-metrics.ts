import type { Registry } from 'prom-client';
import type { AppObserver } from '../app-dependencies.js';
import { createHistogram, type Series } from './histogram.js';
import { metersIn } from './meters.js';

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

/**
 * Requests by method, route and status. A route is a pattern, and Node knows some 30 methods, so the number of series is
 * bounded whatever clients send.
 */
export function createRequestMetrics(registry: Registry): Pick<AppObserver, 'onAnswered' | 'onRefused'> {
  /** The tallies of a route, one for each method that was used. */
  const tallies = new Map<string, Tally[]>();
  const seriesOf = createHistogram(registry, {
    name: 'basedrive_http_request_duration_seconds',
    help: 'Time from the head of a request to the last byte of its answer, which a slow client makes longer.',
    bounds: seconds,
  });
  const { events, counter } = metersIn(registry);
  const refused = events(
    'basedrive_http_refused_total',
    'Refusals of bytes that never became a request: not HTTP, a head too large or too slow.',
    'status',
  );
  counter('basedrive_http_requests_total', 'Answered requests.', ['method', 'route', 'status'], () =>
    allTallies().flatMap(({ method, route, answers }) =>
      [...answers.entries()].flatMap(([status, count]) =>
        count > 0 ? [[{ method, route, status }, count] as const] : [],
      ),
    ),
  );
  counter(
    'basedrive_http_internal_errors_total',
    'Requests that were answered 500. It is there before the first of them, so that a rate sees that one too.',
    [],
    () => allTallies().map(({ answers }) => [{}, answers[500] ?? 0]),
  );
  counter(
    'basedrive_http_answer_body_bytes_total',
    'Bytes in the bodies of answers.',
    ['method', 'route'],
    () => allTallies().map(({ method, route, bodyBytes }) => [{ method, route }, bodyBytes]),
  );

  const allTallies = (): Tally[] => [...tallies.values()].flat();

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
