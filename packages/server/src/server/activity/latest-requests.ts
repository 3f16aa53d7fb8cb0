import type { LatestRequest } from '../../catalog/activity.js';
import type { Exchange } from '../../http/requests/exchange.js';
import { owned } from '../../lib/text/owned.js';

/** The number of requests that are kept. */
const kept = 100;
/** A name that is cut out of a longer target would keep all of it in memory, so it is copied. */
const longTarget = 512;

/** What a request leaves behind: neither its key, its query string nor its body. */
export type NotedRequest = Pick<Exchange, 'method' | 'route' | 'name' | 'keyId' | 'target'>;

/** The last requests of a project, in columns that are written again and again: noting one allocates nothing. */
export class LatestRequests {
  private noted = 0;
  private readonly ended = new Float64Array(kept);
  private readonly durations = new Float32Array(kept);
  private readonly statuses = new Uint16Array(kept);
  private readonly methods = new Array<string>(kept).fill('');
  private readonly routes = new Array<string>(kept).fill('');
  private readonly names = new Array<string>(kept).fill('');
  private readonly keyIds = new Array<string>(kept).fill('');

  /** Notes a request that ended at this time on the clock of `performance.now()`. */
  note(
    { method, route = '', name, keyId, target }: NotedRequest,
    status: number,
    durationMs: number,
    endedMs: number,
  ): void {
    const at = this.noted++ % kept;
    this.ended[at] = endedMs;
    this.durations[at] = durationMs;
    this.statuses[at] = status;
    this.methods[at] = method;
    this.routes[at] = route;
    this.names[at] = target.length > longTarget ? owned(name) : name;
    this.keyIds[at] = keyId;
  }

  /** Gives what was noted, the newest first. `secondsAt` gives the time at a time of the clock. */
  list(project: string, secondsAt: (monotonicMs: number) => number): LatestRequest[] {
    const found: LatestRequest[] = [];
    for (let number = this.noted - 1; number >= 0 && found.length < kept; number--) {
      const at = number % kept;
      found.push({
        at: secondsAt(this.ended[at]!),
        ms: Math.round(this.durations[at]! * 1000) / 1000,
        method: this.methods[at]!,
        path: pathOf(this.routes[at]!, project, this.names[at]!),
        status: this.statuses[at]!,
        key_id: this.keyIds[at]!,
      });
    }
    return found;
  }
}

/** `/v1/demo/users/items/{key}`: the pattern of a route, with the names of the project and of the base or drive. */
function pathOf(route: string, project: string, name: string): string {
  return route.replace(/:(\w+)/g, (_, parameter: string) => {
    if (parameter === 'project') return encodeURIComponent(project);
    return parameter === 'name' ? encodeURIComponent(name) : `{${parameter}}`;
  });
}
