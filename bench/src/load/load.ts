import type { RequestTemplate } from './request-template.js';

/** Which keys the requests of a load name. A request of several slots takes as many numbers in a row. */
export type KeyChoice =
  | { readonly kind: 'random'; readonly below: number }
  /** Counts up from `from`: no two requests name one key. */
  | { readonly kind: 'fresh'; readonly from: number };

export interface WeightedRequest {
  /** Its share in 100. */
  readonly weight: number;
  readonly request: RequestTemplate;
}

/** As many requests as the server answers, from so many connections, for so long. */
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
  /** Answered ones. */
  readonly requests: number;
  readonly bytes: number;
  /** Answers of status 400 and up, time-outs (10 s) and cut connections. */
  readonly errors: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

export type LoadGenerator = (load: Load) => Promise<LoadResult>;

/** After so long without an answer a request counts as an error. */
export const timeoutSeconds = 10;
