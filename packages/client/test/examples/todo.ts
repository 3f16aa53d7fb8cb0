import { type Basedrive, BasedriveError } from '../../src/index.js';

/** A to-do list: entries have an order of their own, are done once, and say who did them. */
interface Todo {
  text: string;
  done: boolean;
  order: number;
  by?: string;
}

export function openTodos({ Base }: Basedrive, list: string) {
  const todos = Base<Todo>('todos');
  const counters = Base<{ n: number }>('counters');

  return {
    /** Adds an entry at the end. The number comes from a counter, which begins by itself. */
    async add(text: string): Promise<string> {
      const { n } = await counters.update({ n: counters.util.increment(1) }, list, {
        upsert: { n: 0 },
        return: 'new',
      });
      const key = `${list}:${String(n).padStart(6, '0')}`;
      await todos.insert({ text, done: false, order: n }, key);
      return key;
    },

    /** Ticks an entry off, and gives it. Undefined if somebody was faster. */
    async finish(key: string, by: string) {
      try {
        return await todos.update({ done: true, by }, key, { if: { done: false }, return: 'new' });
      } catch (cause) {
        if (cause instanceof BasedriveError && cause.code === 'condition_failed') return undefined;
        throw cause;
      }
    },

    /** The open entries in their order. */
    async open(): Promise<string[]> {
      const { items } = await todos.fetch({ 'key?pfx': `${list}:`, done: false }, { order: ['order'] });
      return items.map(({ text }) => text);
    },

    /** Removes what is done, and gives it. */
    async clear() {
      const { items } = await todos.deleteWhere(
        { 'key?pfx': `${list}:`, done: true },
        { limit: 100, return: 'old' },
      );
      return items;
    },
  };
}
