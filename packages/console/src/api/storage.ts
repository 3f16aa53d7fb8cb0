/** A storage of texts by name. Nothing of it throws. */
export interface TextStorage {
  getItem(name: string): string | null;
  /** Gives whether the text is kept: not if there is no room, and then the one before stays. */
  setItem(name: string, text: string): boolean;
  removeItem(name: string): void;
}

/** What ends with the tab. */
export const tabStorage = storageOf(() => sessionStorage);

/** What the browser keeps on this device. */
export const deviceStorage = storageOf(() => localStorage);

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

/** Where the browser refuses its storage, as it does with all cookies blocked, one that ends with the page. */
function storageOf(open: () => Storage): TextStorage {
  let own: Storage | undefined;
  try {
    own = open();
  } catch {
    // The page works without.
  }
  const texts = new Map<string, string>();
  return {
    getItem: (name) => (own === undefined ? (texts.get(name) ?? null) : own.getItem(name)),
    setItem(name, text) {
      try {
        if (own === undefined) texts.set(name, text);
        else own.setItem(name, text);
        return true;
      } catch {
        return false;
      }
    },
    removeItem(name) {
      texts.delete(name);
      own?.removeItem(name);
    },
  };
}
