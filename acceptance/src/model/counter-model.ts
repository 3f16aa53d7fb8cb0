import type { Client } from './client.js';
import { createCount } from './count.js';
import { jsonOf } from './entries-model.js';
import { expectStatus, type Finding, lost, type Model } from './model.js';

/** A counter that all workers increment at the same time. No increment may be missing, and none may count twice. */
export function counterModel(base: string, key: string): Model {
  const path = `${base}/items/${key}`;
  const increments = createCount(`counter ${key}`);
  let created = false;

  async function read(client: Client): Promise<number | undefined> {
    const reply = await client.send('GET', path);
    expectStatus(`get ${key}`, reply.status, 200, 404);
    return reply.status === 404 ? undefined : jsonOf<{ n: number }>(reply).n;
  }

  function missing(wasCreated: boolean): Finding[] {
    return wasCreated ? [lost(`counter ${key}: missing, acknowledged ${increments.acknowledged}`)] : [];
  }

  return {
    name: `counter ${key}`,
    list: { kind: 'items', store: base, names: [key] },
    get exists() {
      return created;
    },
    isInDoubt: false,
    async act(client) {
      if (!created) {
        const { status } = await client.send('POST', `${base}/items`, { item: { key, n: 0 } });
        expectStatus(`insert ${key}`, status, 201, 409);
        created = true;
      }
      await increments.attempt(async () => {
        const { status } = await client.send('PATCH', path, { increment: { n: 1 } });
        expectStatus(`increment ${key}`, status, 200);
        return true;
      });
    },
    async observe(client) {
      const least = increments.acknowledged;
      const wasCreated = created;
      const found = await read(client);
      return found === undefined ? missing(wasCreated) : increments.compare(found, least);
    },
    async verify(client) {
      const found = await read(client);
      const findings = found === undefined ? missing(created) : [];
      if (found !== undefined) created = true;
      return [...findings, ...increments.resolve(found ?? 0)];
    },
  };
}
