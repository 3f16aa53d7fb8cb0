import { setTimeout as wait } from 'node:timers/promises';
import { type Client, createClient, NoAnswer } from '../model/client.js';
import type { Random } from '../random.js';
import type { RunningServer } from '../server-process.js';
import { judged } from './checked-client.js';
import type { Outage } from './outage.js';
import type { Tally } from './tally.js';

export interface FleetOptions {
  readonly size: number;
  readonly start: (n: number) => Promise<RunningServer>;
  readonly key: string;
  readonly connections: number;
  readonly tally: Tally;
  readonly outage: Outage;
}

/** Several servers over the same rows and bytes. */
export interface Fleet {
  readonly size: number;
  readonly ports: () => readonly number[];
  /** A client whose every request goes to any server that lives, as a load balancer would send it. */
  client(random: Random): Client;
  kill(n: number): Promise<void>;
  restart(n: number): Promise<void>;
  stop(): Promise<void>;
}

interface Member {
  readonly server: RunningServer;
  readonly client: Client;
  isKilled: boolean;
}

const noServerPauseMs = 20;

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { size, start, key, connections, tally, outage } = options;
  const members = new Map<number, Member>();

  async function restart(n: number): Promise<void> {
    const server = await start(n);
    const plain = createClient(server.port, key, connections);
    const isKilled = () => member.isKilled;
    const member: Member = {
      server,
      client: judged({ client: plain, isKilled, tally, outage }),
      isKilled: false,
    };
    members.set(n, member);
    server.gone.then(() => {
      if (!member.isKilled) tally.find('wrong', `server ${n}`, `server ${n} ended by itself`);
    });
  }

  async function kill(n: number): Promise<void> {
    const member = members.get(n);
    if (member === undefined) return;
    members.delete(n);
    member.isKilled = true;
    await member.server.kill();
    member.client.close();
  }

  await Promise.all(Array.from({ length: size }, (_, n) => restart(n)));
  return {
    size,
    ports: () => [...members.values()].map(({ server }) => server.port),
    client: (random) => ({
      async send(...request) {
        const living = [...members.values()];
        if (living.length === 0) {
          await wait(noServerPauseMs);
          throw new NoAnswer('no server lives');
        }
        return await random.pick(living).client.send(...request);
      },
      close() {},
    }),
    kill,
    restart,
    async stop() {
      await Promise.all([...members.keys()].map(kill));
    },
  };
}
