import { setTimeout as wait } from 'node:timers/promises';
import { type Client, createClient, NoAnswer } from '../model/client.js';
import type { Random } from '../random.js';
import type { RunningServer } from '../server-process.js';
import { checkedClient } from './checked-client.js';
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

/** Several servers that share one store. */
export interface Fleet {
  readonly size: number;
  readonly ports: () => readonly number[];
  /** A client that sends each request to a random running server, as a load balancer does. */
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

const noServerDelayMs = 20;

export async function startFleet(options: FleetOptions): Promise<Fleet> {
  const { size, start, key, connections, tally, outage } = options;
  const members = new Map<number, Member>();

  async function restart(n: number): Promise<void> {
    const server = await start(n);
    const plain = createClient(server.port, key, connections);
    const isKilled = () => member.isKilled;
    const member: Member = {
      server,
      client: checkedClient({ client: plain, isKilled, tally, outage }),
      isKilled: false,
    };
    members.set(n, member);
    void server.ended.then(() => {
      if (!member.isKilled) tally.find('wrong', `server ${n}`, `server ${n} ended on its own`);
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
        const running = [...members.values()];
        if (running.length === 0) {
          await wait(noServerDelayMs);
          throw new NoAnswer('no server runs');
        }
        return await random.pick(running).client.send(...request);
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
