import { effect, signal } from '@preact/signals';
import { endedBecause, key, project } from './session.js';
import { deviceStorage } from './storage.js';

/** What the browser keeps on this device for each name of the project, such as a base. No key is in it. */
export interface DeviceStore<Value> {
  /** What was kept for a name; undefined if nothing was. */
  read(name: string): Value | undefined;
  /** Keeps a value; undefined forgets it. What the browser has no room for lasts until the page ends. */
  keep(name: string, value: Value | undefined): void;
}

/** Names for which values are kept: those that were changed last. */
const maxNames = 200;
const forget: (() => void)[] = [];

/** A store under a name of the local storage. `isValid` says whether what is read there is such a value. */
export function createDeviceStore<Value>(
  storageName: string,
  isValid: (value: unknown) => value is Value,
): DeviceStore<Value> {
  const all = signal(readAll());

  function readAll(): ReadonlyMap<string, Value> {
    try {
      const entries = JSON.parse(deviceStorage.getItem(storageName) ?? '[]') as [unknown, unknown][];
      const valid = entries.filter(([id, value]) => typeof id === 'string' && isValid(value));
      return new Map(valid as [string, Value][]);
    } catch {
      return new Map();
    }
  }

  const idOf = (name: string, ofProject: string) => JSON.stringify([ofProject, name]);
  addEventListener('storage', ({ key: changed }) => {
    if (changed === storageName) all.value = readAll();
  });
  forget.push(() => {
    all.value = new Map();
    deviceStorage.removeItem(storageName);
  });

  return {
    read: (name) => all.value.get(idOf(name, project.value)),
    keep(name, value) {
      const id = idOf(name, project.peek());
      const others = [...all.peek()].filter(([other]) => other !== id);
      const kept: [string, Value][] = value === undefined ? others : [...others, [id, value]];
      all.value = new Map(kept.slice(-maxNames));
      deviceStorage.setItem(storageName, JSON.stringify([...all.peek()]));
    },
  };
}

let before = key.peek();
effect(() => {
  // Whoever signs out leaves nothing behind. A session that ended by itself can be continued with another key.
  if (key.value === undefined && before !== undefined && endedBecause.peek() === undefined)
    for (const one of forget) one();
  before = key.value;
});
