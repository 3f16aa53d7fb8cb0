import { setTimeout as wait } from 'node:timers/promises';
import { createRandom } from '../random.js';
import { answering, openReceiver } from '../receiver.js';
import type { RunningServer } from '../server-process.js';
import type { Deployment } from './deployments.js';

export interface WebhookRun {
  readonly deployment: Pick<Deployment, 'startServer'>;
  readonly key: string;
  readonly servers: number;
  readonly kills: number;
  readonly seed: number;
  /** One of so many messages is not taken, or its answer is cut off; 0 for none. */
  readonly refusesOneOf: number;
}

export interface WebhookReport {
  /** What the copy has and the base has not, and the other way round, and every step back; without the messages that are lost. */
  findings(isLost?: (message: number) => boolean): readonly string[];
  readonly written: number;
  readonly messages: number;
  /** Messages that came again under the same id. */
  readonly repeated: number;
}

const keys = 20;
const writers = 4;
const leastWritten = 200;

/**
 * Writes while servers are killed, and keeps a copy by what a webhook sends. At the end the copy must have what is
 * stored; on the way, no item may go back to an earlier state.
 */
export async function runWebhookUnderKills(run: WebhookRun): Promise<WebhookReport> {
  const { deployment, key, seed, refusesOneOf } = run;
  const { int } = createRandom(seed);
  const receiver = await openReceiver();
  const running: RunningServer[] = await Promise.all(
    Array.from({ length: run.servers }, (_, n) => deployment.startServer(n)),
  );
  const [project = ''] = key.split('_');
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' };
  let isOver = false;
  let written = 0;

  async function send(method: string, path: string, json?: object): Promise<unknown> {
    const body = json && JSON.stringify(json);
    for (;;) {
      const { port } = running[int(running.length)] as RunningServer;
      const answer = await fetch(`http://127.0.0.1:${port}/v1/${project}/${path}`, {
        method,
        headers,
        ...(body && { body }),
      })
        .then(async (found) => ({ isOk: found.ok, status: found.status, text: await found.text() }))
        .catch(() => undefined);
      if (answer?.isOk) return JSON.parse(answer.text === '' ? 'null' : answer.text);
      if (answer !== undefined && answer.status < 500 && answer.status !== 429) throw new Error(answer.text);
      await wait(10);
    }
  }

  /** Each writer has keys of its own, so that `n` only grows. */
  async function write(writer: number): Promise<void> {
    for (let n = 0; !isOver; n++) {
      const name = `w${writer}k${int(keys)}`;
      if (int(5) === 0) await send('DELETE', `base/items/${name}`);
      else await send('PUT', 'base/items', { items: [{ key: name, n }] });
      written++;
      await wait(2);
    }
  }

  receiver.answers.push = () => 0;
  receiver.answers.shift = () => {
    const choice = refusesOneOf === 0 ? -1 : int(refusesOneOf * 2);
    if (choice === 0) return answering(503);
    return choice === 1 ? (response) => response.socket?.destroy() : undefined;
  };
  const hook = (await send('POST', 'hooks', { url: receiver.url, bases: ['base'], since: '0' })) as {
    id: string;
  };
  const work = Array.from({ length: writers }, (_, writer) => write(writer));
  for (let kill = 0; kill < run.kills; kill++) {
    const [before, messages] = [written, receiver.received.length];
    while (written < before + 20 + int(50) || receiver.received.length < messages + 3) await wait(5);
    const n = int(running.length);
    await running[n]?.kill();
    running[n] = await deployment.startServer(n);
  }
  while (written < leastWritten) await wait(5);
  isOver = true;
  await Promise.all(work);
  // What is written last comes last.
  await send('PUT', 'base/items', { items: [{ key: 'last', n: 0 }] });
  await receiver.until(() => receiver.changes().some(({ key: name }) => name === 'last'));
  await send('DELETE', `hooks/${hook.id}`);

  const stored = await send('POST', 'base/query', { query: [], limit: 1000 });
  for (const server of running) await server.kill();
  await receiver.close();
  const { received } = receiver;
  const bodies = received.map(({ body }) => body);
  const ids = new Set(received.map(({ headers }) => headers['webhook-id']));
  return {
    findings: (isLost = () => false) =>
      judge(
        bodies.filter((_, n) => !isLost(n)),
        stored,
      ),
    written,
    messages: received.length,
    repeated: received.length - ids.size,
  };
}

interface Sent {
  readonly data: {
    readonly changes: readonly {
      readonly key: string;
      readonly type: string;
      readonly item?: { readonly n: number };
    }[];
  };
}

function judge(bodies: readonly string[], stored: unknown): readonly string[] {
  const copy = new Map<string, number>();
  const seen = new Map<string, number>();
  const findings: string[] = [];
  for (const body of bodies) {
    for (const { key, type, item } of (JSON.parse(body) as Sent).data.changes) {
      if (type === 'delete') copy.delete(key);
      else {
        const { n = -1 } = item ?? {};
        if (n < (seen.get(key) ?? 0)) findings.push(`${key} went back from ${seen.get(key)} to ${n}`);
        seen.set(key, n);
        copy.set(key, n);
      }
    }
  }
  const { items } = stored as { items: readonly { key: string; n: number }[] };
  const wanted = new Map(items.map(({ key, n }) => [key, n]));
  for (const key of new Set([...copy.keys(), ...wanted.keys()]))
    if (copy.get(key) !== wanted.get(key))
      findings.push(`${key} is ${copy.get(key)} in place of ${wanted.get(key)}`);
  return findings;
}
