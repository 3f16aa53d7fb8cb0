import { NoAnswer } from './client.js';
import { expectStatus, type Finding, lost, type Subject } from './model.js';

/** One counter that all workers increment at once: neither short nor doubled. */
export function counterSubject(base: string, key: string): Subject {
  const path = `${base}/items/${key}`;
  let made = false;
  /** What it holds at least, and at most: what was acknowledged, and what was ever begun. */
  let acknowledged = 0;
  let begun = 0;

  function compare(found: number | undefined, least: number, most: number): Finding[] {
    if (found === undefined) return made ? [lost(`counter ${key}: gone, acknowledged ${least}`)] : [];
    const text = `counter ${key}: found ${found}, expected ${least} to ${most}`;
    if (found < least) return [lost(text)];
    return found > most ? [{ kind: 'doubled', text }] : [];
  }

  return {
    name: `counter ${key}`,
    list: { kind: 'items', store: base, name: key },
    get isThere() {
      return made;
    },
    isInDoubt: false,
    async act(client) {
      if (!made) {
        const { status } = await client.send('POST', `${base}/items`, { item: { key, n: 0 } });
        expectStatus(`insert ${key}`, status, 201, 409);
        made = true;
      }
      begun++;
      try {
        const { status } = await client.send('PATCH', path, { increment: { n: 1 } });
        expectStatus(`increment ${key}`, status, 200);
        acknowledged++;
      } catch (cause) {
        // An answer was due that says that it did not happen.
        if (!(cause instanceof NoAnswer)) begun--;
        throw cause;
      }
    },
    async look(client) {
      const least = acknowledged;
      const wasMade = made;
      const { status, body } = await client.send('GET', path);
      expectStatus(`get ${key}`, status, 200, 404);
      if (status === 404 && !wasMade) return [];
      return compare(status === 404 ? undefined : countIn(body), least, begun);
    },
    async check(client) {
      const { status, body } = await client.send('GET', path);
      expectStatus(`get ${key}`, status, 200, 404);
      const found = status === 404 ? undefined : countIn(body);
      const findings = compare(found, acknowledged, begun);
      if (found !== undefined) made = true;
      acknowledged = found ?? 0;
      begun = acknowledged;
      return findings;
    },
  };
}

function countIn(body: Buffer): number {
  return (JSON.parse(body.toString()) as { n: number }).n;
}
