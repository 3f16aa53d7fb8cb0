import { get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

const pollIntervalMs = 100;
/** `/ready` answers within two seconds even if an engine hangs; the rest is for a busy machine. */
const answerTimeoutMs = 5000;

/** Waits until every server reports that it is ready, or that it is not. Returns false if one does not in time. */
export async function becomeReady(
  ports: readonly number[],
  expected: boolean,
  timeoutMs: number,
): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  const each = await Promise.all(
    ports.map(async (port) => {
      while ((await readiness(port)) !== (expected ? 200 : 503)) {
        if (performance.now() > deadlineMs) return false;
        await wait(pollIntervalMs);
      }
      return true;
    }),
  );
  return each.every(Boolean);
}

/** The status of `/ready`; undefined if it does not answer in time. */
function readiness(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = get({ host: '127.0.0.1', port, path: '/ready', agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.setTimeout(answerTimeoutMs, () => sent.destroy());
    sent.on('error', () => resolve(undefined));
  });
}
