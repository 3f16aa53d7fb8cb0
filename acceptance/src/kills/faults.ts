import type { Random } from '../random.js';
import type { NetworkProxy } from '../services/proxy.js';
import type { Fleet } from './fleet.js';

const longestOutageMs = 2500;
/** Longer than every timeout of the server. */
const longerThanTimeoutsMs = 16_000;

/** A way to break a component, and to repair it. */
export interface Fault {
  /** What breaks: the name of its row in the report. */
  readonly component: string;
  /** Whether `/ready` reports it on every server until it is repaired. */
  readonly failsReadiness: boolean;
  /** How long the outage lasts, in addition to the time until `/ready` reports it. */
  outageMs(random: Random): number;
  begin(): Promise<void>;
  end(): Promise<void>;
}

function shortOutageMs(random: Random): number {
  return random.int(longestOutageMs);
}

/** SIGKILL of one random server; the others keep running. */
export function serverKill(fleet: Fleet, random: Random): Fault {
  let killed = 0;
  return {
    component: 'a server',
    failsReadiness: false,
    outageMs: shortOutageMs,
    begin() {
      killed = random.int(fleet.size);
      return fleet.kill(killed);
    },
    end: () => fleet.restart(killed),
  };
}

/** A service that can be killed and started again on its own. */
export interface Killable {
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export function serviceKill(component: string, service: Killable): Fault {
  return {
    component,
    failsReadiness: true,
    outageMs: shortOutageMs,
    begin: () => service.kill(),
    end: () => service.restart(),
  };
}

/** A network partition: for a while, everything sent to a service is dropped without notice. */
export function networkPartition(service: string, proxy: NetworkProxy): Fault {
  let isLong = false;
  return {
    component: `the network to ${service}, silent`,
    failsReadiness: true,
    // Alternately: repaired after every waiting call has timed out, and while calls still wait.
    outageMs(random) {
      isLong = !isLong;
      return isLong ? longerThanTimeoutsMs : shortOutageMs(random);
    },
    begin: async () => proxy.cut(),
    end: async () => proxy.restore(),
  };
}

/** Every connection to a service is reset, and every new one too. */
export function networkReset(service: string, proxy: NetworkProxy): Fault {
  return {
    component: `the network to ${service}, reset`,
    failsReadiness: true,
    outageMs: shortOutageMs,
    begin: async () => proxy.refuse(),
    end: async () => proxy.restore(),
  };
}
