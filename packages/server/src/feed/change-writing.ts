/** An item or a file that has changed. */
export interface Changed {
  readonly of: 'bases' | 'drives';
  /** The base or drive. */
  readonly name: string;
  /** The key of the item, or the name of the file. */
  readonly key: string;
}

/** How a change is written. A put has the JSON of the item or file, empty if the reader does not want it. */
export interface ChangeWriting {
  put(changed: Changed, value: string, tx: string | undefined): string;
  deletion(changed: Changed, tx: string): string;
}

/** As docs/http.md#a-change says. */
export const usualWriting: ChangeWriting = {
  put: (changed, value, tx) => {
    const member = value === '' ? '' : `,"${changed.of === 'bases' ? 'item' : 'file'}":${value}`;
    return `${beginOf(changed)},"type":"put"${member}${endOf(tx)}`;
  },
  deletion: (changed, tx) => `${beginOf(changed)},"type":"delete"${endOf(tx)}`,
};

function beginOf({ of, name, key }: Changed): string {
  const [first, second] = of === 'bases' ? ['base', 'key'] : ['drive', 'name'];
  return `{"${first}":${JSON.stringify(name)},"${second}":${JSON.stringify(key)}`;
}

function endOf(tx: string | undefined): string {
  return tx === undefined ? '}' : `,"tx":"${tx}"}`;
}
