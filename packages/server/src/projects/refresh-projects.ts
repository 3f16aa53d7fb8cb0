import { repeat } from '../lib/concurrency/repeat.js';
import type { Log } from '../lib/log.js';

const shortestMs = 600;
const longestMs = 1000;

/**
 * Reads what another server may have set for projects about every second. While the rows are unavailable, what is known
 * stays true. Gives a function that stops it and resolves when the reload in progress has ended.
 */
export function refreshProjects(projects: { reload(): Promise<void> }, log: Log): () => Promise<void> {
  let isFailing = false;

  async function reload(): Promise<void> {
    try {
      await projects.reload();
      isFailing = false;
    } catch (cause) {
      if (!isFailing) log.error({ err: cause }, 'projects cannot be read: what is known of them stays true');
      isFailing = true;
    }
  }

  return repeat(reload, () => shortestMs + Math.random() * (longestMs - shortestMs));
}
