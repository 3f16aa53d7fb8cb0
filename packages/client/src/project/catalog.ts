import { type CallOptions, type Endpoint, parametersOf } from '../http/endpoint.js';
import { pages, requestValue } from '../http/request.js';
import type { ListBasesResponse, ListDrivesResponse, StatsResponse } from '../http-types.js';

/** Options of the lists of bases and drives. `timeoutMs` applies to each page. */
export interface CatalogOptions extends CallOptions {
  /** Only names that begin with this text. */
  readonly prefix?: string | undefined;
  /** Continue after this name. */
  readonly last?: string | undefined;
}

/** Iterates over the names of all bases or drives of a project (docs/http.md#list-bases). */
export async function* catalogNames(
  endpoint: Endpoint,
  kind: 'bases' | 'drives',
  options: CatalogOptions,
): AsyncGenerator<string, void, undefined> {
  const { prefix } = options;
  const names = pages(options.last, (last) => {
    const call = { method: 'GET', path: `/${kind}?${parametersOf({ prefix, last })}` } as const;
    return requestValue<Partial<ListBasesResponse & ListDrivesResponse>>(endpoint, call, options);
  });
  for await (const page of names) yield* page[kind] ?? [];
}

/** The sizes of the base and of the drive of a name (docs/http.md#statistics). */
export function readStats(endpoint: Endpoint, options: CallOptions): Promise<StatsResponse> {
  return requestValue(endpoint, { method: 'GET', path: '/stats' }, options);
}
