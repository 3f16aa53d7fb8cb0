import { tabStorage } from './storage.js';
/** What the session storage of the tab has under a name, which it then forgets; undefined if there is nothing. */
export function takeFromTab(name: string): unknown {
  const text = tabStorage.getItem(name);
  tabStorage.removeItem(name);
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keeps a value in the tab for the time of a reload. What does not fit is not kept, and no more is an empty list. */
export function keepInTab(name: string, value: unknown): void {
  const isEmpty = Array.isArray(value) && value.length === 0;
  if (isEmpty || !tabStorage.setItem(name, JSON.stringify(value))) tabStorage.removeItem(name);
}
