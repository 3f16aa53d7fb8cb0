import type { Grant } from '../access/grant.js';
import type { Call } from '../http/requests/call.js';

/** Who asks for the catalog. */
export interface View {
  /** What the caller may see: of these bases and drives, what begins with this prefix. */
  readonly shown: Pick<Grant, 'bases' | 'drives' | 'prefix'>;
  /** Whether the caller no longer waits. */
  readonly isAbandoned: () => boolean;
}

/** What a request shows of the catalog. */
export function viewOf(call: Call): View {
  return { shown: call.grant, isAbandoned: () => call.isAbandoned };
}
