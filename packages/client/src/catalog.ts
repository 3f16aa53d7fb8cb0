import { type CallOptions, type Endpoint, percentEncode } from './endpoint.js';
import type { ListBasesResponse, ListDrivesResponse, StatsResponse } from './http-types.js';
import { requestJson } from './request.js';

/** Options of the lists of bases and drives. `timeoutMs` applies to each page. */
export interface CatalogOptions extends CallOptions {
  /** Only names that begin with this text. */
  readonly prefix?: string | undefined;
  /** Continue after this name. */
  readonly last?: string | undefined;
}

const defaultTimeoutMs = 30_000;

/** Sends a GET and gives its answer if it is a success. Reading may always be repeated. */
async function read<T>(endpoint: Endpoint, path: string, { signal, timeoutMs }: CallOptions): Promise<T> {
  const answer = await requestJson(
    endpoint,
    { method: 'GET', path, repeatable: true },
    { signal, timeoutMs: timeoutMs ?? endpoint.options.timeoutMs ?? defaultTimeoutMs },
  );
  if (answer.error) throw answer.error;
  return answer.value as T;
}

/** Iterates over the names of all bases or drives of a project (docs/http.md#list-bases). */
export async function* catalogNames(
  endpoint: Endpoint,
  kind: 'bases' | 'drives',
  options: CatalogOptions,
): AsyncGenerator<string, void, undefined> {
  let { last } = options;
  do {
    const parameters = Object.entries({ prefix: options.prefix, last })
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([parameter, value]) => `${parameter}=${percentEncode(parameter, String(value))}`);
    const path = `/${kind}?${parameters.join('&')}`;
    const page = await read<Partial<ListBasesResponse & ListDrivesResponse>>(endpoint, path, options);
    yield* page[kind] ?? [];
    last = page.paging?.last;
  } while (last !== undefined);
}

/** The sizes of the base and of the drive of a name (docs/http.md#statistics). */
export function readStats(endpoint: Endpoint, options: CallOptions): Promise<StatsResponse> {
  return read(endpoint, '/stats', options);
}
