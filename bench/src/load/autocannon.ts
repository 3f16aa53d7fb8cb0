import autocannon from 'autocannon';
import { type KeyChoice, type Load, type LoadResult, timeoutSeconds, type WeightedRequest } from './load.js';
import { render, slotsOf } from './request-template.js';

/** Replaces wrk where that is missing. It costs several times as much per request, so fast servers appear slower than they are. */
export async function loadWithAutocannon(load: Load): Promise<LoadResult> {
  const slots = Math.max(...load.requests.map(({ request }) => slotsOf(request)));
  const nextKey = keySource(load.keys, slots);
  const result = await autocannon({
    url: load.url,
    connections: load.connections,
    duration: load.seconds,
    timeout: timeoutSeconds,
    requests: [
      {
        setupRequest: (request) => {
          const { method, path, headers, body } = render(pick(load.requests), nextKey());
          return {
            ...request,
            method: method as 'GET',
            path,
            headers: { ...request.headers, ...headers },
            ...(body === undefined ? {} : { body }),
          };
        },
      },
    ],
  });
  return {
    seconds: result.duration,
    requests: result.requests.total,
    bytes: result.throughput.total,
    errors: result.errors + result['4xx'] + result['5xx'],
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    p999Ms: result.latency.p99_9,
    maxMs: result.latency.max,
  };
}

function keySource(keys: KeyChoice, slots: number): () => number {
  if (keys.kind === 'random') {
    const step = keys.anywhere === true ? 1 : slots;
    const groups = Math.max(1, Math.floor(keys.below / step));
    return () => Math.floor(Math.random() * groups) * step;
  }
  let next = keys.from - slots;
  return () => {
    next += slots;
    return next;
  };
}

function pick(requests: readonly WeightedRequest[]): WeightedRequest['request'] {
  let dice = Math.random() * 100;
  const picked = requests.find(({ weight }) => {
    dice -= weight;
    return dice < 0;
  });
  return (picked ?? requests[0]!).request;
}
