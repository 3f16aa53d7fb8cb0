import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Api, createApi } from '../api.js';
import { freshBase } from '../names.js';
import type { Target } from '../target.js';
import { type HostileRequest, hostileRequests } from './hostile-requests.js';

export interface ProbeTarget {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly key: string;
}

export interface StallReport {
  readonly name: string;
  readonly bodyBytes: number;
  readonly status: number;
  readonly tookMs: number;
  /** The longest time that a parallel GET had to wait. */
  readonly longestWaitMs: number;
}

export interface StallOptions {
  /** 1: as large as the API accepts; 0.1: a tenth of it. */
  readonly scale: number;
  /**
   * A request beside which a GET waited longer is sent again, up to `maxTries` times in all, and the shortest of the
   * waits counts: other work on the machine also delays GETs, but not every time.
   */
  readonly maxWaitMs: number;
  readonly maxTries: number;
  readonly onReport?: (report: StallReport) => void;
}

/** How long the probe runs alone, to measure the delays that the machine itself causes. */
const aloneMs = 1000;
const itemsPerPut = 25;

/**
 * Sends each hostile request, and measures how long a parallel GET of a small item has to wait. The first report
 * is that of the GETs alone.
 */
export async function runStall(
  target: Target,
  { scale, maxWaitMs, maxTries, onReport }: StallOptions,
): Promise<readonly StallReport[]> {
  const api = createApi(target);
  const probed = freshBase(api);
  assert.equal((await probed.put({ key: 'probe' })).status, 207);
  const { hostname: host, port } = target.url;
  const workerData: ProbeTarget = {
    host,
    port: Number(port),
    path: `${probed.root}/items/probe`,
    key: target.key,
  };
  const probe = new Worker(new URL('./probe.js', import.meta.url), { workerData });
  const failed = once(probe, 'error').then(([cause]) => {
    throw cause;
  });
  const longest = async () => {
    probe.postMessage('tell');
    const [told] = await Promise.race([once(probe, 'message'), failed]);
    return (told as { longestMs: number }).longestMs;
  };
  const reports: StallReport[] = [];
  const add = (report: StallReport) => {
    reports.push(report);
    onReport?.(report);
  };
  try {
    await longest();
    await new Promise((resolve) => setTimeout(resolve, aloneMs));
    add({ name: 'alone', bodyBytes: 0, status: 200, tookMs: aloneMs, longestWaitMs: await longest() });
    for (const hostile of hostileRequests(scale)) {
      const body = Buffer.from(hostile.body());
      let best: StallReport | undefined;
      for (let tries = 0; tries < maxTries && (best?.longestWaitMs ?? Infinity) > maxWaitMs; tries++) {
        const base = await preparedBase(api, hostile);
        await longest();
        const beganMs = performance.now();
        const { status } = await base.sendText(hostile.method, hostile.path, body, hostile.type);
        const tookMs = performance.now() - beganMs;
        const longestWaitMs = await longest();
        if (longestWaitMs > (best?.longestWaitMs ?? Infinity)) continue;
        best = { name: hostile.name, bodyBytes: body.length, status, tookMs, longestWaitMs };
      }
      if (best !== undefined) add(best);
    }
  } finally {
    await probe.terminate();
    api.close();
  }
  return reports;
}

async function preparedBase(api: Api, { items = () => [] }: HostileRequest) {
  const base = freshBase(api);
  const all = items();
  for (let at = 0; at < all.length; at += itemsPerPut) {
    const body = `{"items":[${all.slice(at, at + itemsPerPut).join(',')}]}`;
    assert.equal((await base.sendText('PUT', '/items', body)).status, 207);
  }
  return base;
}
