// Runs every scenario in a process with the environment of an application, and prints the outcome of each as JSON.
import { scenarios } from './scenarios.js';

const outcomes = await Promise.all(
  Object.entries(scenarios).map(async ([name, run]) => {
    try {
      await run();
      return [name, 'done'] as const;
    } catch (cause) {
      return [name, cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)] as const;
    }
  }),
);
console.log(JSON.stringify(Object.fromEntries(outcomes)));
