import type { Random } from '../random.js';
import type { NetworkProxy } from '../services/proxy.js';
import type { Fleet } from './fleet.js';

const longestOutageMs = 2500;
/** Every limit that a server has of its own is behind then. */
const longerThanPatienceMs = 16_000;

/** A way in which something breaks, and is mended. */
export interface Strike {
  /** Its row in the table. */
  readonly part: string;
  /** Whether `/ready` says so on every server until it is mended. */
  readonly turnsRed: boolean;
  /** How long it stays so, beside the time until `/ready` says it. */
  outageMs(random: Random): number;
  begin(): Promise<void>;
  end(): Promise<void>;
}

function shortly(random: Random): number {
  return random.int(longestOutageMs);
}

/** SIGKILL of any one server; the others go on. */
export function serverStrike(fleet: Fleet, random: Random): Strike {
  let struck = 0;
  return {
    part: 'a server',
    turnsRed: false,
    outageMs: shortly,
    begin() {
      struck = random.int(fleet.size);
      return fleet.kill(struck);
    },
    end: () => fleet.restart(struck),
  };
}

/** What can be killed and started again by itself. */
export interface Killable {
  kill(): Promise<void>;
  restart(): Promise<void>;
}

export function killStrike(part: string, killable: Killable): Strike {
  return {
    part,
    turnsRed: true,
    outageMs: shortly,
    begin: () => killable.kill(),
    end: () => killable.restart(),
  };
}

/** The network to a part drops everything for a while, and nobody is told. */
export function cutStrike(part: string, proxy: NetworkProxy): Strike {
  let isLong = false;
  return {
    part: `the network to ${part}, silent`,
    turnsRed: true,
    // In turns: mended when all who waited have given up, or while they still wait.
    outageMs(random) {
      isLong = !isLong;
      return isLong ? longerThanPatienceMs : shortly(random);
    },
    begin: async () => proxy.cut(),
    end: async () => proxy.restore(),
  };
}

/** Every connection to a part is reset, and each new one. */
export function resetStrike(part: string, proxy: NetworkProxy): Strike {
  return {
    part: `the network to ${part}, reset`,
    turnsRed: true,
    outageMs: shortly,
    begin: async () => proxy.refuse(),
    end: async () => proxy.restore(),
  };
}
