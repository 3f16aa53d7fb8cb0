import { duration, WrongValue } from '../config/values.js';
import { parsedText, refuseUnknown } from './named-values.js';

/** What goes wrong with the requests that match. */
export interface Fault {
  /** Only this method; every method if it is absent. */
  readonly method?: string;
  /** Only this path; a `*` stands for any characters, `/` among them. Every path if it is absent. */
  readonly path?: string;
  /** How many requests it hits. All, if it is absent. */
  readonly times?: number;
  /** Waits this long before anything else: `200ms`. */
  readonly latency?: string;
  /** Answers with this status, and the service does not see the request. 503 and 429 come with `Retry-After`. Not with `cut`. */
  readonly status?: number;
  /**
   * Closes the connection: at the `request`, which the service does not see, or at the `answer`, when the service has
   * done what was asked and the client cannot know it.
   */
  readonly cut?: 'request' | 'answer';
}

/** A fault as it hits one request. */
export interface Hit {
  readonly latencyMs: number;
  readonly status: number | undefined;
  readonly cut: Fault['cut'];
}

interface Rule {
  readonly method: string | undefined;
  readonly path: RegExp;
  readonly hit: Hit;
  left: number;
}

const parseLatency = duration({ minMs: 0 });
const members: readonly string[] = ['method', 'path', 'times', 'latency', 'status', 'cut'];

export type Faults = ReturnType<typeof createFaults>;

export function createFaults() {
  let rules: readonly Rule[] = [];
  return {
    /** Replaces all faults. Throws `WrongValue` and changes nothing if one of them is not valid. */
    set(faults: readonly Fault[]) {
      if (!Array.isArray(faults)) throw new WrongValue('', 'faults: must be a list');
      rules = faults.map(toRule);
    },
    /** The first fault that matches the request. It counts as used. */
    take(method: string, path: string) {
      const rule = rules.find(
        (each) => each.left > 0 && (each.method ?? method) === method && each.path.test(path),
      );
      if (rule === undefined) return undefined;
      rule.left--;
      return rule.hit;
    },
  };
}

function toRule(fault: Fault): Rule {
  if (typeof fault !== 'object' || fault === null) throw new WrongValue('', 'a fault: must be an object');
  refuseUnknown('a fault', fault, members);
  const { method, path = '*', times = Number.POSITIVE_INFINITY, latency, status, cut } = fault;
  check(method === undefined || typeof method === 'string', 'method: must be text');
  check(typeof path === 'string', 'path: must be text');
  check(
    times === Number.POSITIVE_INFINITY || (Number.isInteger(times) && times > 0),
    'times: must be an integer of 1 or more',
  );
  check(
    status === undefined || (Number.isInteger(status) && status >= 400 && status <= 599),
    'status: must be 400 to 599',
  );
  check(cut === undefined || cut === 'request' || cut === 'answer', 'cut: must be "request" or "answer"');
  check(
    latency !== undefined || status !== undefined || cut !== undefined,
    'a fault: give latency, status or cut',
  );
  check(
    status === undefined || cut === undefined,
    'a fault: give status or cut, not both: a connection that is cut gets no answer',
  );
  const latencyMs = latency === undefined ? 0 : parsedText('latency', latency, parseLatency);
  return { method: method?.toUpperCase(), path: pattern(path), hit: { latencyMs, status, cut }, left: times };
}

function check(holds: boolean, rule: string): void {
  if (!holds) throw new WrongValue('', rule);
}

function pattern(path: string): RegExp {
  const literal = path.split('*').map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`, 's');
}
