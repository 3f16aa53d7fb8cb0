import { Agent } from 'node:http';
import { checkAnswer, type Operation } from '../load/operation.js';
import { slotsOf } from '../load/request-template.js';

const sendersAtOnce = 32;

/** Runs a storing operation until the keys 0 … count - 1 are there; checks every answer. */
export async function fill(url: string, operation: Operation, count: number): Promise<void> {
  const step = slotsOf(operation.request);
  const agent = new Agent({ keepAlive: true, maxSockets: sendersAtOnce });
  let next = 0;
  const sender = async () => {
    while (next < count) {
      const first = next;
      next += step;
      await checkAnswer(url, operation, first, agent);
    }
  };
  try {
    await Promise.all(Array.from({ length: sendersAtOnce }, sender));
  } finally {
    agent.destroy();
  }
}
