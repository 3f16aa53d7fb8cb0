import { checkAnswer, type Operation } from '../load/operation.js';
import { slotsOf } from '../load/request-template.js';
import { agentFor } from '../load/send.js';

const concurrency = 32;

/** Stores the keys 0 … count - 1 with an operation, and checks every answer. */
export async function fill(url: string, operation: Operation, count: number): Promise<void> {
  const step = slotsOf(operation.request);
  const agent = agentFor(url, { keepAlive: true, maxSockets: concurrency });
  let next = 0;
  const sender = async () => {
    while (next < count) {
      const first = next;
      next += step;
      await checkAnswer(url, operation, first, agent);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, sender));
  } finally {
    agent.destroy();
  }
}
