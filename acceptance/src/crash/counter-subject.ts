import { NoAnswer } from './client.js';
import { expectStatus, type Subject } from './subject.js';

/** One counter that all workers increment at once: neither short nor doubled. */
export function counterSubject(base: string, key: string): Subject {
  const path = `${base}/items/${key}`;
  let made = false;
  let acknowledged = 0;
  let inDoubt = 0;
  return {
    name: `counter ${key}`,
    async act(client) {
      if (!made) {
        const { status } = await client.send('POST', `${base}/items`, { item: { key, n: 0 } });
        expectStatus(`insert ${key}`, status, 201, 409);
        made = true;
      }
      try {
        expectStatus(
          `increment ${key}`,
          (await client.send('PATCH', path, { increment: { n: 1 } })).status,
          200,
        );
        acknowledged++;
      } catch (cause) {
        if (cause instanceof NoAnswer) inDoubt++;
        throw cause;
      }
    },
    async check(client) {
      const { status, body } = await client.send('GET', path);
      const found = status === 404 ? undefined : (JSON.parse(body.toString()) as { n: number }).n;
      if (found === undefined) {
        return made ? [`counter ${key}: gone, acknowledged ${acknowledged}`] : [];
      }
      const fits = found >= acknowledged && found <= acknowledged + inDoubt;
      const expected = `${acknowledged} to ${acknowledged + inDoubt}`;
      acknowledged = found;
      inDoubt = 0;
      return fits ? [] : [`counter ${key}: found ${found}, expected ${expected}`];
    },
  };
}
