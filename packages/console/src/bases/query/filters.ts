import { createDeviceStore } from '../../api/device-store.js';
import { splitOrder } from '../order.js';
import { everything, readQuery } from './model.js';
import { writeTyped } from './typed.js';

/** A query and an order of a base, as the address has them. */
export interface Asked {
  readonly query: string;
  readonly order: string;
}

/** A query that was given a name. */
export interface SavedFilter extends Asked {
  readonly name: string;
}

interface Filters {
  readonly saved: readonly SavedFilter[];
  /** What was asked last, the latest first. */
  readonly recent: readonly Asked[];
}

const maxRecent = 20;
const maxSaved = 100;
const none: Filters = { saved: [], recent: [] };

const isAsked = (value: unknown): value is Asked => {
  const { query, order } = (value ?? {}) as Asked;
  return typeof query === 'string' && typeof order === 'string';
};

const filters = createDeviceStore('basedrive-filters', (value): value is Filters => {
  const { saved, recent } = (value ?? {}) as Filters;
  if (!Array.isArray(saved) || !Array.isArray(recent)) return false;
  return [...saved, ...recent].every(isAsked) && saved.every(({ name }) => typeof name === 'string');
});

/** The filters of a base that this device remembers. */
export function filtersOf(base: string): Filters {
  return filters.read(base) ?? none;
}

const isSame = (one: Asked, other: Asked) => one.query === other.query && one.order === other.order;

/** Notes what is asked. What shows everything in the order of keys is nothing to come back to. */
export function noteAsked(base: string, { query, order }: Asked): void {
  if ((query === '' || query === everything) && order === '') return;
  if (query !== '' && readQuery(query) === undefined) return;
  const asked = { query, order };
  const { saved, recent } = filtersOf(base);
  if (recent[0] !== undefined && isSame(recent[0], asked)) return;
  const others = recent.filter((one) => !isSame(one, asked));
  filters.keep(base, { saved, recent: [asked, ...others].slice(0, maxRecent) });
}

/** Saves a filter under a name, in place of the one that has it. */
export function saveFilter(base: string, filter: SavedFilter): void {
  const { saved, recent } = filtersOf(base);
  const others = saved.filter(({ name }) => name !== filter.name);
  filters.keep(base, { saved: [...others, filter].slice(-maxSaved), recent });
}

export function forgetFilter(base: string, name: string): void {
  const { saved, recent } = filtersOf(base);
  filters.keep(base, { saved: saved.filter((one) => one.name !== name), recent });
}

/** Forgets what was asked. */
export function forgetAsked(base: string): void {
  filters.keep(base, { ...filtersOf(base), recent: [] });
}

/** A query and its order as one would say them. */
export function filterWords(query: string, order: string): string {
  const groups = readQuery(query === '' ? everything : query);
  const words = groups?.map((group) => group.map(writeTyped).join(' and ')).join(' or ') ?? query;
  const { name, isDescending } = splitOrder(order);
  const sorted = order === '' ? [] : [`by ${name}${isDescending ? ', downwards' : ''}`];
  return [words === '' ? 'all items' : words, ...sorted].join(' ');
}
