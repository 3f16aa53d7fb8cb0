import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Api, createApi } from '../api.js';
import { openFeed } from '../feed.js';
import { freshBase } from '../names.js';
import type { Target } from '../target.js';
import { hostileRequests } from './hostile-requests.js';
import { type HostileRequest, must, type Place } from './requests/hostile-request.js';
import type { StoredUpload } from './stored-uploads.js';

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
   * A request during which a GET waited longer is sent again, up to `maxTries` times in all, and the shortest of the
   * waits counts: other work on the machine also delays GETs, but not every time.
   */
  readonly maxWaitMs: number;
  readonly maxTries: number;
  /** Only requests whose names contain this text. */
  readonly only?: string;
  /** Gives an open upload with so many parts that can be completed, another one each time. */
  readonly nextUpload?: (parts: number) => StoredUpload;
  readonly onReport?: (report: StallReport) => void;
}

/** The name of the first report. */
export const alone = 'alone';
/** How long the probe runs alone, to measure the delays that the machine itself causes. */
const aloneMs = 1000;
/** A request that is worked on in slices takes its time when the machine has other things to do. */
const timeoutMs = 180_000;

/**
 * Sends each hostile request, and measures how long a parallel GET of a small item has to wait. The first report
 * is that of the GETs alone.
 */
export async function runStall(
  target: Target,
  { scale, maxWaitMs, maxTries, only = '', nextUpload, onReport }: StallOptions,
): Promise<readonly StallReport[]> {
  const api = createApi(target, timeoutMs);
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
    add({ name: alone, bodyBytes: 0, status: 200, tookMs: aloneMs, longestWaitMs: await longest() });
    for (const hostile of hostileRequests(scale, nextUpload)) {
      if (!hostile.name.includes(only)) continue;
      const body = Buffer.from(hostile.body?.() ?? '');
      let best: StallReport | undefined;
      for (let tries = 0; tries < maxTries && (best?.longestWaitMs ?? Infinity) > maxWaitMs; tries++) {
        const place = await prepared(api, hostile);
        const path = await pathOf(place, hostile);
        await longest();
        const beganMs = performance.now();
        const { status } = await (hostile.send?.(place) ?? send(place, { ...hostile, path }, body));
        await hostile.after?.(place);
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

async function prepared(api: Api, { items = () => [], prepare }: HostileRequest): Promise<Place> {
  const place = { api, base: freshBase(api) };
  const all = items();
  if (all.length > 0) {
    const put = place.base.sendText('PUT', '/items', all.join('\n'), 'application/x-ndjson');
    const { text } = await must(200, put);
    assert.equal(text, `{"stored":${all.length},"failed":0}\n`);
  }
  await prepare?.(place);
  return place;
}

async function pathOf(place: Place, { path = '', isOfProject = false }: HostileRequest): Promise<string> {
  if (typeof path === 'function') return await path(place);
  return (isOfProject ? `/v1/${place.api.target.project}` : place.base.root) + path;
}

function send(
  { api }: Place,
  hostile: HostileRequest & { readonly path: string },
  body: Buffer,
): Promise<{ readonly status: number }> {
  const { method = 'GET', path, headers = {}, type = 'application/json', isEndless = false } = hostile;
  if (isEndless) return readUntilLive(api, path, headers);
  return api.send(method, path, { headers, ...(hostile.body && { body, type }) });
}

async function readUntilLive(
  api: Api,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<{ readonly status: number }> {
  const stream = await openFeed(api, path, { accept: '*/*', headers });
  for (;;) {
    const { value, done } = await stream.lines.next();
    if (done === true || value === 'event: live' || value.endsWith(',"live":true}')) break;
  }
  stream.cut();
  return stream;
}
