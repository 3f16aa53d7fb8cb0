import type { CallOptions, Endpoint } from '../http/endpoint.js';
import { eachListed, requestValue } from '../http/request.js';
import type { StatsResponse } from '../http-types.js';

/** Options of the lists of bases and drives. `timeoutMs` applies to each page. */
export interface CatalogOptions extends CallOptions {
  /** Only names that begin with this text. */
  readonly prefix?: string | undefined;
  /** Continue after this name. */
  readonly last?: string | undefined;
}

/** Iterates over the names of all bases or drives of a project (docs/http.md#list-bases). */
export function catalogNames(
  endpoint: Endpoint,
  kind: 'bases' | 'drives',
  options: CatalogOptions,
): AsyncGenerator<string, void, undefined> {
  return eachListed(endpoint, `/${kind}`, kind, options);
}

/** The sizes of the base and of the drive of a name (docs/http.md#statistics). */
export function readStats(endpoint: Endpoint, options: CallOptions): Promise<StatsResponse> {
  return requestValue(endpoint, { method: 'GET', path: '/stats' }, options);
}
