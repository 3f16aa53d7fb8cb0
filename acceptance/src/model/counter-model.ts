import { NoAnswer } from './client.js';
import { expectStatus, type Finding, lost, type Model } from './model.js';

/** A counter that all workers increment at the same time. No increment may be missing, and none may count twice. */
export function counterModel(base: string, key: string): Model {
  const path = `${base}/items/${key}`;
  let created = false;
  /** Its value is at least what was acknowledged and at most what was ever sent. */
  let acknowledged = 0;
  let sent = 0;

  function compare(found: number | undefined, least: number, most: number): Finding[] {
    if (found === undefined) return created ? [lost(`counter ${key}: missing, acknowledged ${least}`)] : [];
    const text = `counter ${key}: found ${found}, expected ${least} to ${most}`;
    if (found < least) return [lost(text)];
    return found > most ? [{ kind: 'doubled', text }] : [];
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
      sent++;
      try {
        const { status } = await client.send('PATCH', path, { increment: { n: 1 } });
        expectStatus(`increment ${key}`, status, 200);
        acknowledged++;
      } catch (cause) {
        // The answer says that the increment did not happen.
        if (!(cause instanceof NoAnswer)) sent--;
        throw cause;
      }
    },
    async observe(client) {
      const least = acknowledged;
      const wasCreated = created;
      const { status, body } = await client.send('GET', path);
      expectStatus(`get ${key}`, status, 200, 404);
      if (status === 404 && !wasCreated) return [];
      return compare(status === 404 ? undefined : countIn(body), least, sent);
    },
    async verify(client) {
      const { status, body } = await client.send('GET', path);
      expectStatus(`get ${key}`, status, 200, 404);
      const found = status === 404 ? undefined : countIn(body);
      const findings = compare(found, acknowledged, sent);
      if (found !== undefined) created = true;
      acknowledged = found ?? 0;
      sent = acknowledged;
      return findings;
    },
  };
}

function countIn(body: Buffer): number {
  return (JSON.parse(body.toString()) as { n: number }).n;
}
