import type { Random } from '../crash/random.js';
import type { Fleet } from './fleet.js';

/** A way in which something breaks, and is mended. */
export interface Strike {
  /** Its row in the table. */
  readonly part: string;
  /** Whether `/ready` says so on every server until it is mended. */
  readonly turnsRed: boolean;
  begin(): Promise<void>;
  end(): Promise<void>;
}

/** SIGKILL of any one server; the others go on. */
export function serverStrike(fleet: Fleet, random: Random): Strike {
  let struck = 0;
  return {
    part: 'a server',
    turnsRed: false,
    begin() {
      struck = random.int(fleet.size);
      return fleet.kill(struck);
    },
    end: () => fleet.restart(struck),
  };
}
