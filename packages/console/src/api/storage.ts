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
