import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../random.js';
import type { Fleet } from './fleet.js';
import type { Tally } from './tally.js';

/** Sends requests to random servers of a fleet, which may be down. */
export interface AnyServer {
  /** The answer; undefined if there is none, or none of use. */
  ask(method: string, path: string, more?: RequestInit): Promise<Response | undefined>;
  /** The text of the answer; undefined if it did not come whole. */
  send(method: string, path: string, json?: object): Promise<string | undefined>;
}

interface Asking {
  readonly fleet: Pick<Fleet, 'ports'>;
  readonly key: string;
  /** Is told of answers that nothing explains. */
  readonly tally: Pick<Tally, 'find'>;
}

export function createAnyServer({ fleet, key, tally }: Asking, { pick }: Pick<Random, 'pick'>): AnyServer {
  const [project] = key.split('_');

  async function ask(method: string, path: string, more: RequestInit = {}): Promise<Response | undefined> {
    const ports = fleet.ports();
    if (ports.length > 0) {
      const url = `http://127.0.0.1:${pick(ports)}/v1/${project}/${path}`;
      const headers = { 'X-API-Key': key, 'Content-Type': 'application/json', ...more.headers };
      const answer = await fetch(url, { ...more, method, headers }).catch(() => undefined);
      if (answer?.ok) return answer;
      // A file that is to be copied may not be there, or its other name may be taken.
      const isExpected =
        answer === undefined || [404, 409, 429].includes(answer.status) || answer.status >= 500;
      if (!isExpected)
        tally.find('wrong', path, `${method} ${path}: ${answer.status} ${await answer.text()}`);
      await answer?.body?.cancel().catch(() => {});
    }
    await wait(5);
    return undefined;
  }

  async function send(method: string, path: string, json?: object): Promise<string | undefined> {
    const answer = await ask(method, path, json && { body: JSON.stringify(json) });
    return await answer?.text().catch(() => undefined);
  }

  return { ask, send };
}
