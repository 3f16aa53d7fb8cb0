import { get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

const askEveryMs = 100;
/** `/ready` answers within two seconds, however long an engine hangs; the rest is for a busy machine. */
const answerWithinMs = 5000;

/** Waits until every server says that it is ready, or that it is not. False when one does not in time. */
export async function becomeReady(
  ports: readonly number[],
  expected: boolean,
  withinMs: number,
): Promise<boolean> {
  const giveUpMs = performance.now() + withinMs;
  const each = await Promise.all(
    ports.map(async (port) => {
      while ((await readiness(port)) !== (expected ? 200 : 503)) {
        if (performance.now() > giveUpMs) return false;
        await wait(askEveryMs);
      }
      return true;
    }),
  );
  return each.every(Boolean);
}

/** The status of `/ready`; undefined when it does not answer in time. */
function readiness(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const asked = get({ host: '127.0.0.1', port, path: '/ready', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.setTimeout(answerWithinMs, () => asked.destroy());
    asked.on('error', () => resolve(undefined));
  });
}
