import type { Basedrive } from '../../src/index.js';

/** A job queue: any number of workers, each job done once, and again if its worker disappears. */
interface Job {
  state: 'new' | 'taken' | 'failed';
  at: number;
  until: number;
  tries: number;
  task: string;
}

const maxTries = 3;
const leaseSeconds = 60;

export async function openQueue({ Base }: Basedrive, nowSeconds: () => number) {
  const jobs = Base<Job>('jobs');
  await jobs.declareIndex('waiting', ['state', 'at']);
  const { increment } = jobs.util;

  const claim = async (state: 'new' | 'taken', limit: number, more: object = {}) => {
    const { items } = await jobs.updateWhere(
      { state: 'taken', until: nowSeconds() + leaseSeconds, tries: increment(1) },
      { state, ...more },
      { order: ['at'], limit, return: 'new' },
    );
    return items;
  };

  return {
    async add(task: string): Promise<void> {
      await jobs.put({ state: 'new', at: nowSeconds(), until: 0, tries: 0, task });
    },

    /** The next jobs for one worker. No other worker gets them. */
    async take(limit: number) {
      const fresh = await claim('new', limit);
      if (fresh.length > 0) return fresh;
      // Those of workers that have not come back.
      return await claim('taken', limit, { 'until?lt': nowSeconds(), 'tries?lt': maxTries });
    },

    async finish(key: string): Promise<void> {
      await jobs.delete(key);
    },

    /** Gives up jobs that were tried too often, and says how many there are of each state. */
    async report() {
      await jobs.updateWhere(
        { state: 'failed' },
        { state: 'taken', 'until?lt': nowSeconds(), 'tries?gte': maxTries },
      );
      const { groups } = await jobs.aggregate(
        { n: { count: true } },
        {},
        { group: ['state'], order: ['state'] },
      );
      return Object.fromEntries(groups.map(({ group, n }) => [group.state, n]));
    },
  };
}
