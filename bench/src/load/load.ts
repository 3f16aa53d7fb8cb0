import type { RequestTemplate } from './request-template.js';

/** How the keys of requests are chosen. A request with several slots takes consecutive numbers. */
export type KeyChoice =
  /** `anywhere`: the first key may be any, so that the keys of two requests may overlap. */
  | { readonly kind: 'random'; readonly below: number; readonly anywhere?: boolean }
  /** Counts up from `from`: no two requests use the same key. */
  | { readonly kind: 'fresh'; readonly from: number };

export interface WeightedRequest {
  /** Its share in percent. */
  readonly weight: number;
  readonly request: RequestTemplate;
}

/** Sends as many requests as the server answers, over `connections` connections, for `seconds`. */
export interface Load {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly keys: KeyChoice;
  /** Their weights add up to 100. */
  readonly requests: readonly WeightedRequest[];
}

export interface LoadResult {
  readonly seconds: number;
  /** The number of answered requests. */
  readonly requests: number;
  readonly bytes: number;
  /** Answers with status 400 or higher, timeouts (10 s) and broken connections. */
  readonly errors: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

export type LoadGenerator = (load: Load) => Promise<LoadResult>;

/** A request without an answer after this time counts as an error. */
export const timeoutSeconds = 10;
